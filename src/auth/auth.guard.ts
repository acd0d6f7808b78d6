import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { requestOf } from '../http/request/request-context.js';
import { readOnlyToken } from '../protocol/api-error.js';
import { Authenticator } from './authenticator.js';
import { Caller } from './caller.js';

const IS_PUBLIC = 'isPublic';
const BEARER_ONLY = 'bearerOnly';

/** Makes a handler public; the guard protects every other one. */
export const Public = () => SetMetadata(IS_PUBLIC, true);

/** Marks the handler of batches: it does not accept Basic credentials, and what a token may do is judged by the entry. */
export const BearerOnly = () => SetMetadata(BEARER_ONLY, true);

/**
 * Requires credentials unless the handler is `@Public()`. Throws 401 / 104 without usable credentials, 401 / 105 when
 * they are rejected, 403 / 121 without the scope, 503 / 201 while they cannot be verified, 429 / 117 for an IP address that
 * keeps trying.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf<Request>(context);
    // An entry in the transaction of a batch has the batch's caller, whose credentials were accepted a moment ago.
    if (request.caller) return true;
    const marked = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, marked)) return true;
    const bearerOnly = this.reflector.getAllAndOverride<boolean | undefined>(BEARER_ONLY, marked) ?? false;
    request.caller = new Caller(await this.authenticator.senderOf(request, bearerOnly), request.context);
    return true;
  }
}

/**
 * Throws 403 / 121 when a read-only token writes. A guard of its own, after the one that counts requests, so that these are
 * counted like any other.
 */
@Injectable()
export class ReadOnlyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, method } = requestOf<Request>(context);
    if (!caller?.isReadOnly || ['GET', 'HEAD'].includes(method)) return true;
    const marked = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(BEARER_ONLY, marked)) return true;
    throw readOnlyToken();
  }
}
