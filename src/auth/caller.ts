import { createHmac } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { RequestContext } from '../http/request/request-context.js';
import { requestOf } from '../http/request/request-of.js';

/** Whom credentials stand for. */
export interface Sender {
  /** The 16 bytes of the user's key. */
  account: Buffer;
  /** When the token expires, in milliseconds since the epoch; undefined where that is unknown. */
  expiresAt?: number;
}

/** The context of a request that passed the guard: on whose behalf it runs, and how many SQL statements that has cost so far. */
export type Caller = Sender & Pick<RequestContext, 'statements'>;

/** How a request says who sent it. */
export type Scheme = 'bearer' | 'basic';

/** Whom the guard let through. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(requestOf(context)),
);

/** On whose behalf a request runs that passed the guard. */
export const callerOf = ({ context }: Request): Caller => context as RequestContext & Sender;

/**
 * The 16-byte key of a user's data: an HMAC over the scheme and what identifies the user in it. Keys of different schemes
 * never meet, and lengths are part of the text, so that no two identities are spelt the same.
 */
export function accountKey(secret: string, scheme: Scheme, identity: readonly string[]): Buffer {
  const text = JSON.stringify([scheme, ...identity]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, 16);
}
