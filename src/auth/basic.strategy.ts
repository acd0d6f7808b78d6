import { Strategy } from 'passport';
import type { Request } from 'express';
import { readAuthorization } from '../protocol/authorization-header.js';
import { accountKey } from './account.js';

/**
 * Passport strategy for Basic credentials: any user name and password are a user of their own; only an empty user name is
 * refused. (passport-http cuts passwords at a colon, which would show users each other's data.)
 */
export class BasicStrategy extends Strategy {
  override readonly name = 'basic';

  constructor(private readonly secret: string) {
    super();
  }

  override authenticate(request: Request): void {
    const credentials = readAuthorization(request.headers.authorization);
    if (credentials?.scheme !== 'basic' || credentials.username === '') return this.fail('Basic', 401);
    this.success(accountKey(this.secret, 'basic', [credentials.username, credentials.password]));
  }
}
