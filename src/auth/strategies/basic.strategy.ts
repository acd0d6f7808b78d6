import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy } from 'passport';
import { SETTINGS } from '../../config/config.module.js';
import type { Settings } from '../../config/settings.js';
import { readAuthorization } from '../../protocol/authorization-header.js';
import { accountKey, type Sender } from '../caller.js';

/**
 * Passport strategy for Basic credentials: any user name and password are a user of their own; only an empty user name is
 * refused. (passport-http cuts passwords at a colon, which would show users each other's data.)
 */
@Injectable()
export class BasicStrategy extends Strategy {
  override readonly name = 'basic';
  private readonly secret: string;
  /** Who sent the latest request of a connection: the next one is of the same user as a rule. */
  private readonly latest = new WeakMap<object, { authorization: string | undefined; sender: Sender }>();

  constructor(@Inject(SETTINGS) { userIdSecret }: Settings) {
    super();
    this.secret = userIdSecret;
  }

  override authenticate({ headers, socket }: Request): void {
    const { authorization } = headers;
    const latest = this.latest.get(socket);
    if (latest !== undefined && latest.authorization === authorization) return this.success(latest.sender);
    const credentials = readAuthorization(authorization);
    if (credentials?.scheme !== 'basic' || credentials.username === '') return this.fail('Basic', 401);
    const account = accountKey(this.secret, 'basic', [credentials.username, credentials.password]);
    const sender: Sender = { account };
    this.latest.set(socket, { authorization, sender });
    this.success(sender);
  }
}
