import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { readAuthorization } from '../protocol/authorization-header.js';
import type { Scheme, Sender } from './caller.js';
import { challenge, type ChallengeOptions } from './challenge.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';

/** The part of a request that a strategy sees: tokens in a query string or body do not count. */
type Presented = Pick<Request, 'headers' | 'socket'>;
type Answer = (error?: unknown, sender?: Sender | false) => void;
type Middleware = (request: Presented, response: unknown, next: Answer) => void;

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
   * The sender that the credentials identify; a promise only if that takes a request or a statement. Throws or rejects
   * with 401 / 104 without usable credentials, 401 / 105 when they are rejected, 403 / 121 without the scope, 503 / 201
   * when they cannot be verified.
   */
  senderOf(request: Request, bearerOnly: boolean): Sender | Promise<Sender> {
    const scheme = this.schemeOf(request, bearerOnly);
    let decided = undefined as Sender | Error | undefined;
    let decide = (outcome: Sender | Error): void => void (decided = outcome);
    this.ask(scheme, request, (error, sender) => decide(sender || this.refusal(error, bearerOnly)));
    if (decided instanceof Error) throw decided;
    if (decided) return decided;
    return new Promise((resolve, reject) => {
      decide = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
    });
  }

  private schemeOf({ headers }: Request, bearerOnly: boolean): Scheme {
    const credentials = readAuthorization(headers.authorization);
    if (credentials?.scheme === 'bearer') return 'bearer';
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return 'basic';
    const message = bearerOnly ? 'A bearer token is required' : 'Authorization is required';
    throw new ApiError('missingAuthorization', message, this.challenge({ bearerOnly }));
  }

  private ask(scheme: Scheme, { headers, socket }: Request, answer: Answer): void {
    const authenticate = this.passport.authenticate(scheme, { session: false }, answer) as Middleware;
    // Normalises white space that HTTP allows but strategies do not expect.
    const authorization = headers.authorization?.trim().replace(/[ \t]+/, ' ');
    authenticate({ headers: { authorization }, socket }, {}, answer);
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
