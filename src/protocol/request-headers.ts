import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidParameter, modifiedMeanwhile } from './api-error.js';
import type { Timestamp } from './timestamp.js';

/** The timestamps of a conditional request (docs/protocol.md, "Conditional requests"). */
export interface Preconditions {
  ifModifiedSince?: Timestamp;
  ifUnmodifiedSince?: Timestamp;
}

const CONDITIONS = ['If-Modified-Since', 'If-Unmodified-Since'];

/** Reads them; an empty one counts as absent. Throws 400 / 107 for the first by name that is malformed or repeated. */
export function preconditionsOf(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Preconditions {
  const { headers } = request;
  const ifModifiedSince = readTimestampHeader('If-Modified-Since', headers['if-modified-since']);
  const ifUnmodifiedSince = readTimestampHeader('If-Unmodified-Since', headers['if-unmodified-since']);
  requireSingleConditions(request);
  return { ifModifiedSince, ifUnmodifiedSince };
}

/** Throws 400 / 107 when a condition was sent twice. A batch needs only this, as its entries judge the values. */
export function requireSingleConditions({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  for (const name of CONDITIONS) {
    const lines = linesOf(name, rawHeaders);
    // Node keeps the first one, and an empty one must not hide another.
    if (lines.length > 1 && lines.some((text) => text.trim() !== '')) throw invalidParameter(name, 'given twice');
  }
}

function readTimestampHeader(name: string, value: string | undefined): Timestamp | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  if (!/^\d{1,16}$/.test(text)) throw invalidParameter(name, 'not a timestamp in milliseconds');
  return Number(text);
}

/** True when the response to a GET is 304: nothing changed after `If-Modified-Since`. */
export const isNotModified = (conditions: Preconditions, current: Timestamp): boolean =>
  conditions.ifModifiedSince !== undefined && current <= conditions.ifModifiedSince;

/** Throws 412 / 114 when the resource changed after `If-Unmodified-Since`. */
export function requireUnmodified(conditions: Preconditions, current: Timestamp): void {
  if (conditions.ifUnmodifiedSince !== undefined && current > conditions.ifUnmodifiedSince)
    throw modifiedMeanwhile(current);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A preference or one of its parameters: a name, and a token or quoted string as its value (RFC 7240, section 2). */
const PAIR = new RegExp(`^(${TOKEN})(?:[ \\t]*=[ \\t]*(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")?)?$`, 's');

const PARTS = { ',': /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^",])+/gs, ';': /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^";])+/gs };

/** The seconds of the first `Prefer: wait=N` (RFC 7240), possibly Infinity. Ignores preferences that are malformed. */
export function readWait(lines: readonly string[] = []): number | undefined {
  for (const preference of lines.flatMap((line) => splitOutsideQuotes(line, ','))) {
    // A preference that begins with its parameters has no name: the first of them must not pass for it.
    if (preference.startsWith(';')) continue;
    const [first = '', ...parameters] = splitOutsideQuotes(preference, ';');
    const [, name, word = ''] = PAIR.exec(first) ?? [];
    if (name?.toLowerCase() !== 'wait' || !parameters.every((text) => text === '' || PAIR.test(text))) continue;
    const value = word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/gs, '$1') : word;
    return /^\d+$/.test(value) ? Number(value) : undefined;
  }
  return undefined;
}

/** The parts of a text, trimmed, without those that are empty. A quote that is never closed extends to the end. */
const splitOutsideQuotes = (text: string, separator: ',' | ';'): string[] =>
  (text.match(PARTS[separator]) ?? []).map((part) => part.trim());

/** What the response to a PATCH has: the record, the fields it changed, or those that differ from what was sent. */
export type ResponseBehavior = 'full' | 'light' | 'diff';

/** Reads the `Response-Behavior` header; anything unknown means `full` (docs/protocol.md, "PATCH"). */
export function readResponseBehavior(header: string | string[] | undefined): ResponseBehavior {
  const value = String(header).trim().toLowerCase();
  return value === 'light' || value === 'diff' ? value : 'full';
}

/** How many headers a request or entry may have: each costs more than its bytes, and Node would drop the last ones. */
export const MAX_HEADERS = 100;

/** Of a request line and the headers. Page positions, which may contain long texts, are part of the URL. */
export const MAX_HEADER_BYTES = 65_536;

/** True for the only value of `Expect` that is known. */
export const isContinue = (expect: string): boolean => expect.toLowerCase() === '100-continue';

/** All values of a header, in the order sent. @param rawHeaders names and values alternately */
export function linesOf(name: string, rawHeaders: readonly string[]): string[] {
  const lowered = name.toLowerCase();
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const text = rawHeaders[at]!;
    if (text.length === name.length && text.toLowerCase() === lowered) lines.push(rawHeaders[at + 1]!);
  }
  return lines;
}

/** Credentials of an `Authorization` header, decoded but not yet checked. */
export type Credentials =
  | { scheme: 'bearer'; token: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'malformed-basic' };

/** Reads an `Authorization` header; undefined without credentials of a known scheme. A password may be empty. */
export function readAuthorization(header: string | undefined): Credentials | undefined {
  const [start, scheme] = /^\s*([A-Za-z]+)[ \t]+(?=\S)/.exec(header ?? '') ?? [];
  if (start === undefined) return undefined;
  const value = header!.slice(start.length).trimEnd();
  if (scheme!.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value };
  if (scheme!.toLowerCase() === 'basic') return readBasic(value);
  return undefined;
}

/** RFC 4648, section 4; the padding may be missing. Node itself skips what does not belong there. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** RFC 7617. Rejects what is not UTF-8, which could turn two users into one, and NUL, where other programs end a text. */
function readBasic(value: string): Credentials {
  if (!BASE64.test(value)) return { scheme: 'malformed-basic' };
  const bytes = Buffer.from(value, 'base64');
  const colon = bytes.indexOf(':');
  if (colon < 0 || bytes.includes(0) || !isUtf8(bytes)) return { scheme: 'malformed-basic' };
  return { scheme: 'basic', username: bytes.toString('utf8', 0, colon), password: bytes.toString('utf8', colon + 1) };
}
