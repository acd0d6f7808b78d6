import { START_OVER_HEADER } from '../../protocol/purge-horizon.js';
import { baseHeaders, statusHeaders } from '../../protocol/service-headers.js';
import type { Header } from './open-api.js';

const timestamp = { type: 'integer', format: 'int64', minimum: 0 };
const seconds = { type: 'integer', minimum: 1 };

/** Every header that a response may have, apart from those of HTTP itself (docs/protocol.md, "Headers"). */
export const RESPONSE_HEADERS = {
  'Access-Control-Allow-Origin': {
    description: 'Any origin may read the response.',
    schema: { type: 'string' },
    example: '*',
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that scripts of other origins may read.',
    schema: { type: 'string' },
    example:
      'Backoff, Retry-After, Last-Modified, Alert, X-Request-Id, Total-Records, Next-Page, Start-Over, Preference-Applied',
  },
  Alert: {
    description:
      'JSON with `code` (`soft-eol` up to the end-of-support date, `hard-eol` after it), `message` and `url`; on every ' +
      'response once an end of support is announced.',
    schema: { type: 'string' },
    example: '{"code":"soft-eol","message":"Please update","url":"https://example.com/end"}',
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string' },
    example: 'DELETE, GET, HEAD, POST',
  },
  Backoff: {
    description: 'Seconds for which to send only urgent requests; on responses of status 200 to 399 under heavy load.',
    schema: seconds,
    example: 30,
  },
  'Cache-Control': { description: 'Responses must not be stored.', schema: { type: 'string' }, example: 'no-store' },
  'Last-Modified': {
    description: 'The timestamp of the record or collection in milliseconds; not an HTTP date.',
    schema: timestamp,
    example: 1760000000123,
  },
  Location: {
    description: 'The target of the redirect.',
    schema: { type: 'string', format: 'uri' },
    example: 'http://127.0.0.1:8000/v2/',
  },
  'Next-Page': {
    description: 'The absolute URL of the next page; absent on the last one.',
    schema: { type: 'string', format: 'uri' },
    example: 'http://127.0.0.1:8000/v2/articles?unread=true&_limit=20&_token=3pWnZ',
  },
  'Preference-Applied': {
    description:
      'The preference that was granted: the maximum number of seconds for which the request was or would have been held.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
    example: 'wait=55',
  },
  'Referrer-Policy': {
    description: 'Browsers do not send the URL of a login to other sites.',
    schema: { type: 'string' },
    example: 'no-referrer',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt; on 429 and on every status of 500 and above.',
    schema: seconds,
    example: 30,
  },
  'Set-Cookie': {
    description: 'The encrypted state of the login that this browser began.',
    schema: { type: 'string' },
    example: 'login-Wc1dVbX2nqUuT0aR=eyJhbGciOiJkaXIi…; Path=/v2/acct-oauth; Max-Age=3600; HttpOnly; SameSite=Lax',
  },
  [START_OVER_HEADER]: {
    description:
      'Deletions since the requested timestamp may be missing, because their tombstones were purged: drop all records and ' +
      'list the whole collection.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Total-Records': {
    description: 'The number of items in the whole filtered listing, the same on every page.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
  Vary: {
    description: 'The request headers that the response depends on, for caches.',
    schema: { type: 'string' },
    example: 'Accept-Encoding',
  },
  'WWW-Authenticate': {
    description: 'The schemes that the path accepts.',
    schema: { type: 'string' },
    example: 'Bearer realm="reading list", Basic realm="reading list", charset="UTF-8"',
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another content type.',
    schema: { type: 'string' },
    example: 'nosniff',
  },
  'X-Request-Id': {
    description: 'The id under which the service logs the request: the one that was sent, or a new one.',
    schema: { type: 'string' },
    example: '43f3587c-6925-4600-9eed-c7f40e3189ff',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

/** References to the named headers and to those of every response with that status. */
export function headersOf(status: number, names: readonly HeaderName[] = []): Record<string, { $ref: string }> {
  const everywhere = baseHeaders('', '');
  const byStatus = statusHeaders(status, { alert: '{}', backoffSeconds: 1, retryAfterSeconds: 1 });
  const all = [
    'X-Request-Id',
    ...(mayHaveBody(status) ? ['Vary'] : []),
    ...names,
    ...Object.keys(everywhere),
    ...Object.keys(byStatus),
  ].sort();
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A body may be compressed, hence `Vary`. */
const mayHaveBody = (status: number): boolean => status !== 204 && status !== 304;
