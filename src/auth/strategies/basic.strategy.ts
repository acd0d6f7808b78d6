import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy } from 'passport';
import { SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { readAuthorization } from '../../protocol/authorization-header.js';
import { accountKey, type Sender } from '../caller.js';

/**
 * Passport strategy for Basic credentials. Every pair of user name and password is its own user; only an empty user
 * name is rejected. (passport-http truncates passwords at a colon, which would expose users' data to each other.)
 */
@Injectable()
export class BasicStrategy extends Strategy {
  override readonly name = 'basic';
  private readonly secret: string;

  constructor(@Inject(SETTINGS) { userIdSecret }: Settings) {
    super();
    this.secret = userIdSecret;
  }

  override authenticate({ headers }: Request): void {
    const credentials = readAuthorization(headers.authorization);
    if (credentials?.scheme !== 'basic' || credentials.username === '') return this.fail('Basic', 401);
    const sender: Sender = { account: accountKey(this.secret, 'basic', [credentials.username, credentials.password]) };
    this.success(sender);
  }
}
