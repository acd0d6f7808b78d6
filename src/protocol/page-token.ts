import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidParameter } from './api-error.js';
import type { CollectionQuery } from './collection-query.js';
import type { FieldValue } from './fields.js';

/** The sort values of the last record of a page, in the order of the sort; ids as dashed lower-case text. */
export type PagePosition = FieldValue[];

/** What a token is bound to: it is refused for another account, other filters or another order. */
export interface PageTokenScope {
  secret: string;
  account: Buffer;
  query: Pick<CollectionQuery, 'filters' | 'sort'>;
}

const MAC_LENGTH = 22;

/** Encodes a position as an opaque text that only `decodePageToken` with the same scope accepts. */
export function encodePageToken(scope: PageTokenScope, position: PagePosition): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return macOf(scope, payload) + payload;
}

/** The position in a token. Throws 400 / 107 when the token is malformed, forged or of another scope. */
export function decodePageToken(scope: PageTokenScope, token: string): PagePosition {
  const payload = token.slice(MAC_LENGTH);
  const given = Buffer.from(token.slice(0, MAC_LENGTH));
  const expected = Buffer.from(macOf(scope, payload));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw invalidParameter('_token', 'not a page token of this listing');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as PagePosition;
}

function macOf({ secret, account, query }: PageTokenScope, payload: string): string {
  const scope = JSON.stringify([account.toString('hex'), query.filters, query.sort]);
  return createHmac('sha256', `page-token:${secret}`)
    .update(`${scope}\n${payload}`)
    .digest('base64url')
    .slice(0, MAC_LENGTH);
}
