import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { Strategy } from 'passport';
import { Strategy as HttpBearerStrategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import { keyOf } from '../accounts/accounts.store.js';
import { Settings } from '../config/settings.js';
import { ServiceStatus } from '../http/service-status.js';
import { readAuthorization } from '../protocol/authorization-header.js';
import { accountKey, type Sender } from './caller.js';
import { DeprovisionedUsers } from './tokens/deprovisioned-users.js';
import { TokenVerifier } from './tokens/token-verifier.js';

const CACHED_CHARACTERS = 262_144;

/** What a strategy sees of a request: tokens in a query string or body do not count. */
export interface Presented {
  headers: { authorization?: string };
  /** The IP address, or network, that the request counts for. */
  address: () => string;
  /** Counts the request for its IP address, once. Throws 429 / 117 beyond the rate limit. */
  count: () => Promise<void>;
}

/** Passport strategy for bearer tokens, from the identity provider or personal. */
@Injectable()
export class BearerStrategy extends HttpBearerStrategy<VerifyFunctionWithRequest> {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly status: ServiceStatus,
    private readonly deprovisioned: DeprovisionedUsers,
  ) {
    super({ passReqToCallback: true }, (request: Request, token, done: (error: unknown, sender?: Sender) => void) => {
      this.senderOf(request as unknown as Presented, token).then((sender) => done(null, sender), done);
    });
  }

  private async senderOf({ address, count }: Presented, token: string): Promise<Sender> {
    let sender = this.verifier.cached(token);
    if (!sender) {
      // Before the check, because anybody can send tokens that have to be checked.
      await count();
      sender = await this.status.monitor.whileWaiting(this.verifier.verify(token, address()));
    }
    await this.deprovisioned.refuse(sender.key);
    return sender;
  }
}

/** Passport strategy for Basic credentials, of which every pair is its own user (docs/adr/0004 says why not passport-http). */
export class BasicStrategy extends Strategy {
  override readonly name = 'basic';
  /** By user and password: the HMAC takes a tenth of the time of a poll. */
  private readonly senders = new LRUCache<string, Sender>({
    max: 1_000,
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_, credentials) => credentials.length,
    memoMethod: (credentials) => {
      const account = accountKey(this.settings.userIdSecret, 'basic', JSON.parse(credentials) as string[]);
      return { account, key: keyOf(account) };
    },
  });

  constructor(private readonly settings: Settings) {
    super();
  }

  override authenticate({ headers }: Request): void {
    const credentials = readAuthorization(headers.authorization);
    if (credentials?.scheme !== 'basic' || credentials.username === '') return this.fail('Basic', 401);
    const { username, password } = credentials;
    this.success(this.senders.memo(JSON.stringify([username, password])));
  }
}
