import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Strategy } from 'passport';
import { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { readAuthorization } from '../protocol/request-headers.js';
import { networkOf, RateLimiter } from '../rate-limit/rate-limiter.js';
import type { Sender } from './caller.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy, type Presented } from './strategies/bearer.strategy.js';

/** Authenticates the sender of a request with Passport's strategies. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly settings: Settings,
    private readonly limiter: RateLimiter,
    private readonly bearer: BearerStrategy,
    private readonly basic: BasicStrategy,
  ) {}

  /**
   * The sender that the credentials identify. Throws 401 / 104 without usable credentials, 401 / 105 when they are rejected,
   * 403 / 121 without the scope, 503 / 201 when they cannot be verified, 429 / 117 for an IP address that keeps trying.
   */
  async senderOf(request: Request, bearerOnly: boolean): Promise<Sender> {
    const presented = this.presentedBy(request);
    try {
      return await ask(this.strategyFor(presented.headers.authorization, bearerOnly), presented);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      await presented.count();
      const { kind, message } = error;
      const reason = kind === 'invalidAuthorization' ? 'invalid_token' : undefined;
      // Added here, because the code that rejects a token does not know what else is accepted.
      const value = challenge(this.settings, { error: reason, bearerOnly });
      throw new ApiError(kind, message, { 'WWW-Authenticate': value });
    }
  }

  private presentedBy(request: Request): Presented {
    const address = () => networkOf(request.ip ?? '');
    let counted: Promise<void> | undefined;
    const count = () => (counted ??= this.limiter.take(`address:${address()}`));
    // Normalises white space that HTTP allows but strategies do not expect.
    const authorization = request.headers.authorization?.trim().replace(/[ \t]+/, ' ');
    return { headers: { authorization }, address, count };
  }

  private strategyFor(authorization: string | undefined, bearerOnly: boolean): Strategy {
    const credentials = readAuthorization(authorization);
    if (credentials?.scheme === 'bearer') return this.bearer;
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return this.basic;
    throw new ApiError('missingAuthorization', bearerOnly ? 'A bearer token is required' : 'Authorization is required');
  }
}

/**
 * Runs a strategy as Passport does: with `success`, `fail` and `error` for this request. Passport assigns its own to properties,
 * which V8 takes for long-lived functions: they, and with them the request, survived until a full collection, at the cost of
 * a third of the time of a poll.
 */
const ask = (strategy: Strategy, presented: Presented): Promise<Sender> =>
  new Promise((success, error) => {
    const fail = () => error(new ApiError('invalidAuthorization', 'The credentials were refused'));
    const ofRequest = Object.create(strategy) as { authenticate: (presented: Presented) => void };
    Object.assign(ofRequest, { success, fail, error }).authenticate(presented);
  });

/** The `WWW-Authenticate` of a 401: Bearer, with the error if a token was rejected, and Basic where it is accepted. */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  { error, bearerOnly = false }: { error?: 'invalid_token'; bearerOnly?: boolean } = {},
): string {
  // A header quotes printable ASCII, here without escapes.
  const realm = /^[ !#-[\]-~]+$/.test(serviceName) ? serviceName : 'reading list';
  const bearer = `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
  return basicAuthEnabled && !bearerOnly ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}
