import { createHmac } from 'node:crypto';
import { createParamDecorator } from '@nestjs/common';
import type { Request } from 'express';
import type { Owner, SharedChanges } from '../accounts/shared-changes.js';
import { type RequestContext, requestOf } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';

declare global {
  // The namespace is how Express lets an application add to its requests.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Undefined until the request is authenticated. */
      caller?: Caller;
    }
  }
}

/** Who sent a request, according to its credentials; `account` and `key` are the user's key as 16 bytes and as text. */
export interface Sender {
  account: Buffer;
  key: string;
  /** When the token expires, in milliseconds since the epoch; undefined if unknown. */
  expiresAt?: number;
  /** What the token calls the user, for people only; undefined for Basic credentials, whose owner knows it. */
  name?: string;
  isReadOnly?: boolean;
}

/** The user that a bearer token identifies. */
export interface Identity extends Omit<Sender, 'account' | 'key'> {
  /** The configured URL of the provider, which is stable whatever spelling its tokens use. */
  issuer: string;
  subject: string;
  /** For how many milliseconds it may be cached, which is not beyond its expiry; 0 or less means not at all. */
  keepMs: number;
}

/** 401 / 105: the token was checked and is rejected. */
export const refused = (reason: string): ApiError =>
  new ApiError('invalidAuthorization', `The access token is refused: ${reason}`);

/** The sender of an authenticated request; counts and limits the request's statements, and stops waiting when it ends. */
export class Caller implements Owner {
  readonly account = this.sender.account;
  readonly key = this.sender.key;
  deadline?: number;

  constructor(
    readonly sender: Sender,
    private readonly request: RequestContext,
    readonly shared?: SharedChanges,
  ) {}

  get statements(): number {
    return this.request.statements;
  }

  set statements(count: number) {
    this.request.statements = count;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }
}

/** Injects the caller of an authenticated request. */
export const CallerOf = createParamDecorator((_, context) => callerOf(requestOf(context)));

export const callerOf = ({ caller }: Request): Caller => caller!;

/** The 16-byte key of a user's data: an HMAC of unambiguous JSON, so that different schemes and identities share no key. */
export function accountKey(secret: string, scheme: 'bearer' | 'basic', identity: readonly string[]): Buffer {
  const text = JSON.stringify([scheme, ...identity]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, 16);
}
