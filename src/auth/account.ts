import { createHmac } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requestOf } from '../http/request-of.js';

/** On whose behalf a request runs, and what that has cost so far. */
export interface Caller {
  /** The 16 bytes of the user's key. */
  account: Buffer;
  /** SQL statements. */
  statements: number;
}

/** A request that passed the guard. */
export interface AuthenticatedRequest extends Request {
  caller: Caller;
  scheme: 'bearer' | 'basic';
}

/** Whom the guard let through. */
export const CallerOf = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => requestOf<AuthenticatedRequest>(context).caller,
);

/**
 * The 16-byte key of a user's data: an HMAC over the scheme and what identifies the user in it. Keys of different schemes
 * never meet, and lengths are part of the text, so that no two identities are spelt the same.
 */
export function accountKey(secret: string, scheme: 'bearer' | 'basic', identity: readonly string[]): Buffer {
  const text = JSON.stringify([scheme, ...identity]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, 16);
}
