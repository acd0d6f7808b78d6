import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/config.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';

/** Throws 404 / 111 for logins where no identity provider is configured. */
@Injectable()
export class RequiresProvider implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(): boolean {
    if (this.settings.oauth.enabled) return true;
    throw new ApiError('notFound', 'No identity provider is set up here (OAUTH_URI): sign in with a personal token');
  }
}
