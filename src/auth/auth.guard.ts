import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Passport, type PassportStatic } from 'passport';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { requestOf } from '../http/request-of.js';
import { ApiError } from '../protocol/api-error.js';
import { type Credentials, readAuthorization } from '../protocol/authorization-header.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import type { AuthenticatedRequest } from './account.js';
import { BasicStrategy } from './basic.strategy.js';
import { bearerAccount, bearerStrategy } from './bearer.strategy.js';
import { challenge } from './challenge.js';
import { IS_PUBLIC } from './public.js';
import { TokenVerifier } from './token-verifier.js';

const BEARER_ONLY = 'bearerOnly';

/** Marks a handler that Basic credentials do not open. */
export const BearerOnly = () => SetMetadata(BEARER_ONLY, true);

/** What the marks of a handler and of its controller ask of callers. */
interface AccessRule {
  controller: unknown;
  isPublic: boolean;
  bearerOnly: boolean;
}

/**
 * Lets a request through only with credentials, unless its handler is marked `@Public()`. Throws 401 / 104 without usable
 * credentials, 401 / 105 when they are refused, 403 / 121 without the scope, 503 / 201 while the provider is away, 429 / 117
 * for an address that keeps trying.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly passport = new Passport() as PassportStatic;
  private readonly rules = new Map<unknown, AccessRule>();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(TokenVerifier) private readonly verifier: TokenVerifier,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
  ) {
    this.passport.use(bearerStrategy(verifier, settings.userIdSecret));
    this.passport.use(new BasicStrategy(settings.userIdSecret));
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { isPublic, bearerOnly } = this.ruleOf(context);
    if (isPublic) return true;
    const request = requestOf<AuthenticatedRequest>(context);
    const credentials = readAuthorization(request.headers.authorization);
    return this.remember(request, credentials) || this.identify(request, credentials, bearerOnly);
  }

  private ruleOf(context: ExecutionContext): AccessRule {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const known = this.rules.get(handler);
    if (known?.controller === controller) return known;
    const has = (mark: string) => this.reflector.getAllAndOverride<boolean | undefined>(mark, [handler, controller]);
    const rule = { controller, isPublic: has(IS_PUBLIC) ?? false, bearerOnly: has(BEARER_ONLY) ?? false };
    this.rules.set(handler, rule);
    return rule;
  }

  /** A token that was verified before costs a hash at most: going through Passport again would double the work of a poll. */
  private remember(request: AuthenticatedRequest, credentials: Credentials | undefined): boolean {
    const identity =
      credentials?.scheme === 'bearer' ? this.verifier.cached(credentials.token, request.socket) : undefined;
    if (!identity) return false;
    request.scheme = 'bearer';
    request.caller = { account: bearerAccount(this.settings.userIdSecret, identity), statements: 0 };
    return true;
  }

  private async identify(request: AuthenticatedRequest, credentials: Credentials | undefined, bearerOnly: boolean) {
    try {
      request.scheme = this.usableScheme(credentials, bearerOnly);
      request.caller = { account: await this.authenticate(request.scheme, request), statements: 0 };
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await this.limiter.take(`address:${request.ip}`);
      throw error;
    }
  }

  private usableScheme(credentials: Credentials | undefined, bearerOnly: boolean): 'bearer' | 'basic' {
    if (credentials?.scheme === 'bearer') return 'bearer';
    if (credentials && !bearerOnly && this.settings.basicAuthEnabled) return 'basic';
    throw new ApiError('missingAuthorization', 'Authorization is required', this.challenge());
  }

  /** The strategy sees the header only: tokens in a query string or a body do not count. */
  private authenticate(scheme: 'bearer' | 'basic', { headers }: Request): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const decide = (error: unknown, account?: Buffer | false) => {
        if (error) reject(error instanceof ApiError ? this.challenged(error) : (error as Error));
        else if (account) resolve(account);
        else reject(this.refusal());
      };
      const credentials = { headers: { authorization: headers.authorization?.trim().replace(/[ \t]+/, ' ') } };
      const middleware = this.passport.authenticate(scheme, { session: false }, decide) as (
        request: unknown,
        response: unknown,
        next: (error?: unknown) => void,
      ) => void;
      middleware(credentials, {}, decide);
    });
  }

  private refusal(): ApiError {
    return new ApiError('invalidAuthorization', 'The credentials were refused', this.challenge('invalid_token'));
  }

  /** Whoever refuses a token does not know what else is accepted here. */
  private challenged(error: ApiError): ApiError {
    if (error.kind !== 'invalidAuthorization') return error;
    return new ApiError(error.kind, error.message, { ...error.headers, ...this.challenge('invalid_token') });
  }

  private challenge(error?: 'invalid_token'): Record<string, string> {
    return { 'WWW-Authenticate': challenge(this.settings, error) };
  }
}
