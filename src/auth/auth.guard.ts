import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../http/access.js';
import { requestOf } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';
import { Authenticator } from './authenticator.js';
import { Caller } from './caller.js';

/** Requires credentials unless the handler is `@Public()`. Throws 401 / 104 or 105, 403 / 121, 429 / 117 or 503 / 201. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    // An entry in the transaction of a batch has the batch's caller, whose credentials were accepted a moment ago.
    if (request.caller) return true;
    const access = accessOf(context);
    if (access?.isPublic) return true;
    const sender = await this.authenticator.senderOf(request, access?.bearerOnly ?? false);
    request.caller = new Caller(sender, request.context);
    return true;
  }
}

/** Throws 403 / 121, and says why in a member, when a read-only token writes. Comes after the guard that counts requests. */
@Injectable()
export class ReadOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller, method } = requestOf(context);
    if (!caller?.sender.isReadOnly || ['GET', 'HEAD'].includes(method)) return true;
    if (accessOf(context)?.bearerOnly) return true;
    throw new ApiError('forbidden', 'The access token is read-only', {}, { read_only: true });
  }
}
