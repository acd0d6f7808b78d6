import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidParameter } from './api-error.js';
import type { Filter, SortKey } from './collection-query.js';
import type { FieldValue } from './fields.js';

/** Where a page starts, and how many items the whole listing had when its first page was read. */
export interface PageStart {
  total: number;
  /** The sort keys of the record before it; ids as dashed lower-case text. */
  position: FieldValue[];
}

/** What a token is bound to: it is rejected for another account, other filters or another order. */
export interface PageTokenScope {
  secret: string;
  account: Buffer;
  filters: readonly Filter[];
  sort: readonly SortKey[];
}

const MAC_LENGTH = 22;
/** Part of the HMAC key, so that tokens of another format are rejected and never misread. */
const FORMAT = 'page-token-2';

/** Encodes the start of a page as an opaque string that `decodePageToken` accepts only with the same scope. */
export function encodePageToken(scope: PageTokenScope, { total, position }: PageStart): string {
  const payload = Buffer.from(JSON.stringify([total, ...position])).toString('base64url');
  return macOf(scope, payload) + payload;
}

/** Decodes the start of a page. Throws 400 / 107 when the token is malformed, forged or of another scope. */
export function decodePageToken(scope: PageTokenScope, token: string): PageStart {
  const payload = token.slice(MAC_LENGTH);
  const given = Buffer.from(token.slice(0, MAC_LENGTH));
  const expected = Buffer.from(macOf(scope, payload));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw invalidParameter('_token', 'not a page token of this listing');
  const [total, ...position] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, ...FieldValue[]];
  return { total, position };
}

function macOf({ secret, account, filters, sort }: PageTokenScope, payload: string): string {
  const scope = JSON.stringify([account.toString('hex'), filters, sort]);
  return createHmac('sha256', `${FORMAT}:${secret}`)
    .update(`${scope}\n${payload}`)
    .digest('base64url')
    .slice(0, MAC_LENGTH);
}
