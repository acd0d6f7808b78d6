import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { requestOf } from '../http/request/request-of.js';
import { ApiError } from '../protocol/api-error.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { Authenticator } from './authenticator.js';
import { Caller, type Sender } from './caller.js';
import { IS_PUBLIC } from './public.js';

const BEARER_ONLY = 'bearerOnly';

/** Marks a handler that does not accept Basic credentials. */
export const BearerOnly = () => SetMetadata(BEARER_ONLY, true);

/** The access rule from the decorators of a handler and its controller. */
interface AccessRule {
  controller: unknown;
  isPublic: boolean;
  bearerOnly: boolean;
}

/**
 * Requires credentials unless the handler is `@Public()`. Throws 401 / 104 without usable credentials, 401 / 105 when
 * they are rejected, 403 / 121 without the scope, 503 / 201 while they cannot be verified, 429 / 117 for an IP address
 * that keeps trying.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly rules = new Map<unknown, AccessRule>();

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly limiter: RateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { isPublic, bearerOnly } = this.ruleOf(context);
    if (isPublic) return true;
    const request = requestOf<Request>(context);
    try {
      const sender = this.authenticator.senderOf(request, bearerOnly);
      return sender instanceof Promise ? this.identify(request, sender) : admit(request, sender);
    } catch (error) {
      return this.refuse(request, error);
    }
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

  private async identify(request: Request, sender: Promise<Sender>): Promise<boolean> {
    try {
      return admit(request, await sender);
    } catch (error) {
      return this.refuse(request, error);
    }
  }

  private async refuse(request: Request, error: unknown): Promise<never> {
    if (error instanceof ApiError && error.status === 401) await this.limiter.take(`address:${request.ip}`);
    throw error;
  }
}

function admit(request: Request, sender: Sender): boolean {
  request.caller = new Caller(sender, request.context);
  return true;
}
