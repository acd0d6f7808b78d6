import { ApiError } from './api-error.js';
import type { FieldKind, FieldValue, Kind, QueryField } from './fields.js';
import { MAX_CODE_POINTS, fieldsWhere, KINDS, QUERY_FIELDS } from './fields.js';

/** A JSON object. */
export type Mapping = Record<string, unknown>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A request body as an object, without members if it is absent. Throws 400 / 109 for any other JSON value. */
export function requireObject(body: unknown = {}): Mapping {
  if (!isMapping(body)) throw new ApiError('invalidPostedData', 'The body is not a JSON object');
  return body;
}

/** Why a value is not valid for its field. */
export class Invalid {
  constructor(readonly reason: string) {}
}

/** Reads a value of a body as a kind: strips or cuts texts, replaces lone surrogates. The caller handles `null`. */
export const readBodyValue = (kind: FieldKind, value: unknown): Read => BODY_READERS[kind](value);

type Read = Exclude<FieldValue, null> | Invalid;

const BODY_READERS: Readonly<Record<FieldKind, (value: unknown) => Read>> = {
  uuid: (value) => readStripped(value, () => undefined),
  timestamp: readBodyInteger,
  integer: readBodyInteger,
  boolean: readBodyBoolean,
  url: (value) => readStripped(value, (text) => (text === '' ? undefined : urlProblem(text))),
  title: (value) => readStripped(value, (text) => lengthProblem(text, MAX_CODE_POINTS.title)),
  label: (value) => readStripped(value, (text) => lengthProblem(text, MAX_CODE_POINTS.label)),
  text: (value) => readText(value, (text) => firstCodePoints(text.toWellFormed(), MAX_CODE_POINTS.text)),
  device: (value) =>
    readStripped(value, (text) => (text === '' ? 'empty device name' : lengthProblem(text, MAX_CODE_POINTS.device))),
};

function readBodyBoolean(value: unknown): boolean | Invalid {
  const token = typeof value === 'string' ? value.slice(0, 6).toLowerCase() : value;
  if (token === true || token === 1 || token === 'true' || token === '1') return true;
  if (token === false || token === 0 || token === 'false' || token === '0') return false;
  return new Invalid('not a boolean');
}

function readBodyInteger(value: unknown): number | Invalid {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) return new Invalid('not an integer >= 0');
  return Number.isSafeInteger(number) ? number + 0 : new Invalid('integer out of range');
}

function readText(value: unknown, read: (text: string) => string | Invalid): string | Invalid {
  if (typeof value !== 'string') return new Invalid('not a string');
  return value.includes('\0') ? new Invalid('NUL character') : read(value);
}

const readStripped = (value: unknown, problemOf: (text: string) => string | undefined): string | Invalid =>
  readText(value, (sent) => {
    const text = strip(sent).toWellFormed();
    const problem = problemOf(text);
    return problem === undefined ? text : new Invalid(problem);
  });

const lengthProblem = (text: string, most: number): string | undefined =>
  isLongerThan(text, most) ? `longer than ${most} characters` : undefined;

/** Fields that may be null and cannot be an empty text. */
const EMPTY_IS_NULL: ReadonlySet<QueryField> = new Set(
  fieldsWhere(({ kind, nullable }) => nullable === true && !(KINDS[kind] as Kind).mayBeEmpty),
);

/** Reads a query parameter. An empty text is null in a field that cannot be empty. Any text is taken for an id. */
export function readQueryValue(field: QueryField, text: string): FieldValue | Invalid {
  if (text === '' && EMPTY_IS_NULL.has(field)) return null;
  const kind = QUERY_FIELDS[field];
  const { type } = KINDS[kind];
  if (type === 'number') return readQueryInteger(text);
  if (type === 'boolean') return readQueryBoolean(text);
  return kind === 'uuid' ? text.toLowerCase() : text;
}

function readQueryBoolean(text: string): boolean | Invalid {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  return /^(false|0|no|off)$/i.test(text) ? false : new Invalid('not a boolean');
}

/** Any safe integer, with optional surrounding white space. */
function readQueryInteger(text: string): number | Invalid {
  if (!/^-?\d+$/.test(text.trim())) return new Invalid('not an integer');
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : new Invalid('integer out of range');
}

const OPAQUE_SCHEMES = new Set(['javascript', 'vbscript', 'data', 'mailto', 'about', 'blob']);

/** A name or, in brackets, an IPv6 address (RFC 3986, section 3.2), perhaps with a zone (RFC 6874), and a port. */
const HOST_AND_PORT = /^(\[(?:[0-9a-f.]*:[0-9a-f:.]*(?:%[^[\]]+)?|v[0-9a-f]+\.[^[\]]+)\]|[^[\]:]*)(?::\d*)?$/i;

/** Why a text is not an absolute URL with a host, of at most 2048 code points; undefined if it is. Linear in time. */
export function urlProblem(url: string): string | undefined {
  if (isLongerThan(url, MAX_CODE_POINTS.url)) return `longer than ${MAX_CODE_POINTS.url} characters`;
  if (/[\s\u0000-\u001f\u007f-\u009f]/.test(url)) return 'white space or control character in a URL';
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url);
  if (!scheme || OPAQUE_SCHEMES.has(scheme[1]!.toLowerCase())) return 'not an absolute URL with a host';
  const authority = url.slice(scheme[0].length).split(/[/?#\\]/, 1)[0]!;
  const hostAndPort = HOST_AND_PORT.exec(authority.slice(authority.lastIndexOf('@') + 1));
  if (!hostAndPort) return 'a URL with an invalid host or port';
  return hostAndPort[1] === '' ? 'a URL without a host' : undefined;
}

/** Strips leading and trailing space, tab, CR and LF, but no other white space. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;

/** The first `max` code points of a well-formed text, or all if it has fewer. */
export const firstCodePoints = (text: string, max: number): string =>
  isLongerThan(text, max) ? [...text.slice(0, 2 * max)].slice(0, max).join('') : text;

/** True for more than `max` code points (not UTF-16 units); never iterates over a text that is far too long. */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);
