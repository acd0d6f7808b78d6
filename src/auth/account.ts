import { createHmac } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** A request that passed the guard: whose it is, and by which kind of credentials. */
export interface AuthenticatedRequest extends Request {
  account: Buffer;
  scheme: 'bearer' | 'basic';
}

/** The 16 bytes of the authenticated user's key. */
export const Account = createParamDecorator(
  (_: unknown, context: ExecutionContext): Buffer => context.switchToHttp().getRequest<AuthenticatedRequest>().account,
);

/**
 * The 16-byte key of a user's data: an HMAC over the scheme and what identifies the user in it. Keys of different schemes
 * never meet, and lengths are part of the text, so that no two identities are spelt the same.
 */
export function accountKey(secret: string, scheme: 'bearer' | 'basic', identity: readonly string[]): Buffer {
  const text = JSON.stringify([scheme, ...identity]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, 16);
}
