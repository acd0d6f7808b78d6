import { createHmac } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { RequestContext } from '../http/request/request-context.js';
import { requestOf } from '../http/request/request-of.js';

/** Who sent a request, according to its credentials. */
export interface Sender {
  /** The 16 bytes of the user's key. */
  account: Buffer;
  /** When the token expires, in milliseconds since the epoch; undefined if unknown. */
  expiresAt?: number;
}

/** The context of an authenticated request: its sender, how many SQL statements it has taken so far, and when it ends. */
export type Caller = Sender & Pick<RequestContext, 'statements' | 'signal'>;

/** The authentication scheme of a request. */
export type Scheme = 'bearer' | 'basic';

/** Injects the caller of an authenticated request. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(requestOf(context)),
);

/** The caller of an authenticated request. */
export const callerOf = ({ context }: Request): Caller => context as RequestContext & Sender;

/**
 * The 16-byte key of a user's data: an HMAC of the scheme and the user's identity in it. The JSON text is unambiguous,
 * so that different schemes and identities never share a key.
 */
export function accountKey(secret: string, scheme: Scheme, identity: readonly string[]): Buffer {
  const text = JSON.stringify([scheme, ...identity]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, 16);
}
