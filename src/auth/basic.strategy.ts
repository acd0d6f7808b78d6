import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { Strategy } from 'passport';
import { keyOf } from '../accounts/accounts.store.js';
import { readAuthorization } from '../protocol/request-headers.js';
import { accountKey, type Sender } from './caller.js';

const CACHED_CHARACTERS = 262_144;

/** Passport strategy for Basic credentials, of which every pair is its own user (docs/adr/0004 says why not passport-http). */
export class BasicStrategy extends Strategy {
  override readonly name = 'basic';
  /** By user and password: the HMAC takes a tenth of the time of a poll. */
  private readonly senders = new LRUCache<string, Sender>({
    max: 1_000,
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_, credentials) => credentials.length,
    memoMethod: (credentials) => {
      const account = accountKey(this.userIdSecret, 'basic', JSON.parse(credentials) as string[]);
      return { account, key: keyOf(account) };
    },
  });

  constructor(private readonly userIdSecret: string) {
    super();
  }

  override authenticate({ headers }: Request): void {
    const credentials = readAuthorization(headers.authorization);
    if (credentials?.scheme !== 'basic' || credentials.username === '') return this.fail('Basic', 401);
    const { username, password } = credentials;
    this.success(this.senders.memo(JSON.stringify([username, password])));
  }
}
