import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { readAuthorization } from '../protocol/authorization-header.js';
import type { Scheme, Sender } from './caller.js';
import { challenge, type ChallengeOptions } from './challenge.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';

/** The part of a request that a strategy sees: tokens in a query string or body do not count. */
type Presented = Pick<Request, 'headers' | 'socket'>;
type Middleware = (request: Presented, response: unknown, next: (error?: unknown) => void) => void;

/** Authenticates the sender of a request through Passport. */
@Injectable()
export class Authenticator {
  private readonly passport = new Passport() as PassportStatic;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    bearer: BearerStrategy,
    basic: BasicStrategy,
  ) {
    this.passport.use('bearer', bearer).use('basic', basic);
  }

  /**
   * The sender that the credentials identify. Rejects with 401 / 104 without usable credentials, 401 / 105 when they
   * are rejected, 403 / 121 without the scope, 503 / 201 when they cannot be verified.
   */
  async senderOf(request: Request, bearerOnly: boolean): Promise<Sender> {
    return this.ask(this.schemeOf(request, bearerOnly), request, bearerOnly);
  }

  private schemeOf({ headers }: Request, bearerOnly: boolean): Scheme {
    const credentials = readAuthorization(headers.authorization);
    if (credentials?.scheme === 'bearer') return 'bearer';
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return 'basic';
    const message = bearerOnly ? 'A bearer token is required' : 'Authorization is required';
    throw new ApiError('missingAuthorization', message, this.challenge({ bearerOnly }));
  }

  private ask(scheme: Scheme, { headers, socket }: Request, bearerOnly: boolean): Promise<Sender> {
    return new Promise((resolve, reject) => {
      const decide = (error: unknown, sender?: Sender | false): void => {
        if (sender) resolve(sender);
        else reject(this.refusal(error, bearerOnly));
      };
      const authenticate = this.passport.authenticate(scheme, { session: false }, decide) as Middleware;
      // Normalises white space that HTTP allows but strategies do not expect.
      const authorization = headers.authorization?.trim().replace(/[ \t]+/, ' ');
      authenticate({ headers: { authorization }, socket }, {}, decide);
    });
  }

  /** Adds the challenge here, because the code that rejects a token does not know what else is accepted. */
  private refusal(error: unknown, bearerOnly: boolean): Error {
    if (error && !(error instanceof ApiError && error.kind === 'invalidAuthorization')) return error as Error;
    const message = error ? (error as ApiError).message : 'The credentials were refused';
    return new ApiError('invalidAuthorization', message, this.challenge({ error: 'invalid_token', bearerOnly }));
  }

  private challenge(options: ChallengeOptions): Record<string, string> {
    return { 'WWW-Authenticate': challenge(this.settings, options) };
  }
}
