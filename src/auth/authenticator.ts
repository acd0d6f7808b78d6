import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { readAuthorization } from '../protocol/authorization-header.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import type { Sender } from './caller.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { Presented } from './strategies/presented.js';

type Middleware = (request: Presented, response: unknown, next: unknown) => void;

/** Authenticates the sender of a request through Passport. */
@Injectable()
export class Authenticator {
  private readonly passport = new Passport() as PassportStatic;

  constructor(
    private readonly settings: Settings,
    private readonly limiter: RateLimiter,
    bearer: BearerStrategy,
    basic: BasicStrategy,
  ) {
    this.passport.use('bearer', bearer).use('basic', basic);
  }

  /**
   * The sender that the credentials identify. Throws 401 / 104 without usable credentials, 401 / 105 when they are rejected,
   * 403 / 121 without the scope, 503 / 201 when they cannot be verified, 429 / 117 for an IP address that keeps trying.
   */
  async senderOf(request: Request, bearerOnly: boolean): Promise<Sender> {
    const presented = new Presented(request, this.limiter);
    try {
      return await this.ask(this.schemeOf(presented.headers.authorization, bearerOnly), presented);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      await presented.count();
      const { kind, message } = error;
      const reason = kind === 'invalidAuthorization' ? 'invalid_token' : undefined;
      // Added here, because the code that rejects a token does not know what else is accepted.
      const value = challenge(this.settings, { error: reason, bearerOnly });
      throw new ApiError(kind, message, { 'WWW-Authenticate': value });
    } finally {
      presented.forgetRequest();
    }
  }

  private schemeOf(authorization: string | undefined, bearerOnly: boolean): 'bearer' | 'basic' {
    const credentials = readAuthorization(authorization);
    if (credentials?.scheme === 'bearer') return 'bearer';
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return 'basic';
    throw new ApiError('missingAuthorization', bearerOnly ? 'A bearer token is required' : 'Authorization is required');
  }

  private ask(scheme: string, presented: Presented): Promise<Sender> {
    return new Promise((resolve, reject) => {
      const answer = (error?: unknown, sender?: Sender | false) => {
        if (sender) resolve(sender);
        else reject((error as Error) ?? new ApiError('invalidAuthorization', 'The credentials were refused'));
      };
      const authenticate = this.passport.authenticate(scheme, { session: false }, answer) as Middleware;
      authenticate(presented, {}, answer);
    });
  }
}

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
