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
  /** The sender of the latest request of each connection: usually the next one is the same. */
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
