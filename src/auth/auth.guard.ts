import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { Strategy } from 'passport';
import { Strategy as BearerStrategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import { keyOf } from '../accounts/accounts.store.js';
import { Settings } from '../config/settings.js';
import { accessOf } from '../http/access.js';
import { requestOf } from '../http/request/request-context.js';
import { ServiceStatus } from '../http/service-status.js';
import { ApiError } from '../protocol/api-error.js';
import { type Credentials, readAuthorization } from '../protocol/request-headers.js';
import { networkOf, RateLimiter } from '../rate-limit/rate-limiter.js';
import { accountKey, Caller, type Sender } from './caller.js';
import { DeprovisionedUsers } from './tokens/deprovisioned-users.js';
import { TokenVerifier } from './tokens/token-verifier.js';

/** What a strategy sees of a request: tokens in a query string or body do not count. */
interface Presented {
  headers: { authorization?: string };
  request: Request;
  /** Counts the request for its IP address, once. Throws 429 / 117 beyond the rate limit. */
  count: () => Promise<void>;
}

/** Requires credentials unless the handler is `@Public()`, and finds out with Passport's strategies whose they are. */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly basic = new BasicStrategy(this.settings.userIdSecret);
  private readonly bearer = new BearerStrategy<VerifyFunctionWithRequest>(
    { passReqToCallback: true },
    (request: unknown, token, done: (error: unknown, sender?: Sender) => void) => {
      this.senderOfToken(request as Presented, token).then((sender) => done(null, sender), done);
    },
  );

  constructor(
    private readonly settings: Settings,
    private readonly limiter: RateLimiter,
    private readonly verifier: TokenVerifier,
    private readonly deprovisioned: DeprovisionedUsers,
    private readonly status: ServiceStatus,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    // An entry in the transaction of a batch has the batch's caller, whose credentials were accepted a moment ago.
    if (request.caller) return true;
    const access = accessOf(context);
    if (access?.isPublic) return true;
    request.caller = new Caller(await this.senderOf(request, access?.bearerOnly), request.context);
    return true;
  }

  /**
   * Whose credentials a request has. Throws 401 / 104 without usable ones, 401 / 105 when they are rejected, 403 / 121
   * without the scope, 503 / 201 when they cannot be verified, 429 / 117 for an IP address that keeps trying.
   */
  async senderOf(request: Request, bearerOnly = false): Promise<Sender> {
    let counted: Promise<void> | undefined;
    const count = () => (counted ??= this.limiter.take(`address:${networkOf(request.ip)}`));
    let { authorization } = request.headers;
    const credentials = readAuthorization(authorization);
    // Without white space that HTTP allows but the strategy does not expect.
    if (credentials?.scheme === 'bearer') authorization = `Bearer ${credentials.token}`;
    try {
      return await ask(this.strategyFor(credentials, bearerOnly), { headers: { authorization }, request, count });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      await count();
      // Added here, because the code that rejects a token does not know what else is accepted.
      const value = challenge(this.settings, { isRefused: error.kind === 'invalidAuthorization', bearerOnly });
      throw new ApiError(error.kind, error.message, { 'WWW-Authenticate': value });
    }
  }

  private strategyFor(credentials: Credentials | undefined, bearerOnly: boolean): Strategy {
    if (credentials?.scheme === 'bearer') return this.bearer;
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return this.basic;
    throw new ApiError('missingAuthorization', bearerOnly ? 'A bearer token is required' : 'Authorization is required');
  }

  private async senderOfToken({ request, count }: Presented, token: string): Promise<Sender> {
    let sender = this.verifier.cached(token, request.socket);
    if (!sender) {
      const network = networkOf(request.ip);
      // Before the check, because anybody can send tokens that have to be checked.
      await count();
      sender = await this.verifier.verify(token, network).finally(this.status.monitor.pause(request.context));
    }
    await this.deprovisioned.refuse(sender.key);
    return sender;
  }
}

/** Throws 403 / 121, and says why in a member, when a read-only token writes. Comes after the guard that counts requests. */
@Injectable()
export class ReadOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller, method } = requestOf(context);
    if (!caller?.sender.isReadOnly || ['GET', 'HEAD'].includes(method) || accessOf(context)?.bearerOnly) return true;
    throw new ApiError('forbidden', 'The access token is read-only', {}, { read_only: true });
  }
}

/** Every pair of user name and password is its own user (docs/adr/0004 says why not passport-http). */
class BasicStrategy extends Strategy {
  /** By user name and password: the HMAC takes a tenth of the time of a poll. */
  private readonly senders = new LRUCache<string, Sender>({
    max: 1_000,
    maxSize: 262_144,
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
    this.success(this.senders.memo(JSON.stringify([credentials.username, credentials.password])));
  }
}

/** Runs a strategy for one request. Passport would assign to the strategy itself, which V8 collects late (docs/adr/0013). */
const ask = (strategy: Strategy, presented: Presented): Promise<Sender> =>
  new Promise((success, error) => {
    const fail = () => error(new ApiError('invalidAuthorization', 'The credentials were refused'));
    const ofRequest: unknown = { __proto__: strategy, success, fail, error };
    (ofRequest as { authenticate: (presented: Presented) => void }).authenticate(presented);
  });

/** The `WWW-Authenticate` of a 401: Bearer, with the error if credentials were refused, and Basic where it is accepted. */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  { isRefused, bearerOnly }: { isRefused?: boolean; bearerOnly?: boolean } = {},
): string {
  // A header quotes printable ASCII, here without escapes.
  const realm = /^[ !#-[\]-~]+$/.test(serviceName) ? serviceName : 'reading list';
  const bearer = `Bearer realm="${realm}"${isRefused ? ', error="invalid_token"' : ''}`;
  return basicAuthEnabled && !bearerOnly ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}
