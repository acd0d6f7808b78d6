import { invalidPostedData, missingField } from './api-error.js';
import { isMapping, type Mapping, requireObject } from './field-values.js';
import { decodePercent } from './percent-encoding.js';
import { MAX_HEADER_BYTES, MAX_HEADERS } from './request-headers.js';

/** One request of a batch, merged with the defaults and checked. */
export interface BatchEntry {
  method: string;
  /** As the client sent it. */
  path: string;
  /** Path and query of the request to run, with the version prefix. */
  url: string;
  /** The entry's own and default headers, names in lower case. */
  headers: Record<string, string>;
  body?: Mapping;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Characters of the default path times the entries: each entry escapes it again, at up to nine bytes per character. */
const MAX_DEFAULT_PATHS = 262_144;
/** Members of a body; those of the defaults may be copied for each entry. */
const MAX_MEMBERS = 1_000;
/** These describe the batch's own body, connection or response (RFC 7240): entries neither inherit nor set them. */
const OF_THE_MESSAGE =
  /^(content-(length|type|encoding)|transfer-encoding|(proxy-)?connection|keep-alive|te|trailer|upgrade|expect|host|prefer)$/;
/** These identify the sender of the batch: entries inherit them but cannot set them. */
const OF_THE_BATCH = /^(authorization|forwarded|x-forwarded-.*|x-real-ip|x-request-id)$/;

/** Reads the body of a batch (docs/protocol.md, "Batch"). Throws 400 / 108 for what is missing, otherwise 400 / 109. */
export function parseBatch(body: unknown, maxRequests: number): BatchEntry[] {
  const { defaults, requests } = requireObject(body);
  const shared = readDefaults(defaults);
  if (requests === undefined || requests === null) throw missingField('requests');
  if (!Array.isArray(requests)) throw invalidPostedData('requests', 'not a list');
  if (requests.length > maxRequests) throw invalidPostedData('requests', `more than ${maxRequests} entries`);
  if (typeof shared.path === 'string' && shared.path.length * requests.length > MAX_DEFAULT_PATHS)
    throw invalidPostedData('defaults.path', `too long for ${requests.length} entries`);
  return requests.map((request, at) => parseEntry(shared, request, `requests.${at}`));
}

type Defaults = ReturnType<typeof readDefaults>;

function readDefaults(value: unknown) {
  const { method, path, body, headers } = requireMapping(value ?? {}, 'defaults');
  const read = { body: mergedBody(undefined, body, 'defaults'), headers: readHeaders(headers, 'defaults.headers') };
  return { method, path, ...read };
}

function parseEntry(defaults: Defaults, request: unknown, name: string): BatchEntry {
  const own = requireMapping(request, name);
  const body = mergedBody(defaults.body, own.body, name);
  const merged = { ...defaults.headers, ...readHeaders(own.headers, `${name}.headers`) };
  const headers = bounded(merged, `${name}.headers`, MAX_HEADERS, 'headers');
  const method = readMethod(own.method ?? defaults.method, `${name}.method`);
  const path = readPath(own.path ?? defaults.path, `${name}.path`);
  return { method, path, url: resolve(path, `${name}.path`), headers, body };
}

function readMethod(value: unknown, name: string): string {
  if (value === undefined || value === null) throw missingField(name);
  // Only letters of ASCII: the upper case of `ſ` is an S.
  const method = typeof value === 'string' && /^[a-z]+$/i.test(value) ? value.toUpperCase() : '';
  if (!METHODS.has(method)) throw invalidPostedData(name, 'not an allowed method');
  return method;
}

function readPath(value: unknown, name: string): string {
  if (value === undefined || value === null) throw missingField(name);
  if (typeof value !== 'string' || !value.startsWith('/')) throw invalidPostedData(name, 'has no leading slash');
  return value;
}

/** The URL to run: the path as written, which a URL parser would change, with the version prefix; too long ones fail later. */
function resolve(path: string, name: string): string {
  if (path.length > MAX_HEADER_BYTES) return path;
  const prefixed = /^\/v[0-2]([/?#]|$)/.test(path) ? path : `/v2${path}`;
  const [, resource, query] = /^([^?#]*)(?:#[^?]*)?(.*)$/s.exec(prefixed)!;
  const { pathname } = new URL(prefixed, 'http://localhost');
  if (/^\/+(v2\/+)?batch\/*$/i.test(decodePercent(pathname) ?? pathname))
    throw invalidPostedData(name, 'a batch within a batch');
  // Only what cannot stand in a request line is escaped.
  return `${resource}${query}`.toWellFormed().replace(/[^\x21-\x7e]+|#/g, encodeURIComponent);
}

/** Joins the values of a header that is given twice, in another case, as HTTP does: neither may hide the other. */
function readHeaders(value: unknown, name: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const given = bounded(requireMapping(value ?? {}, name), name, MAX_HEADERS, 'headers');
  for (const [header, text] of Object.entries(given)) {
    if (typeof text !== 'string' || /[\0-\x08\x0a-\x1f\x7f]/.test(text))
      throw invalidPostedData(`${name}.${header.slice(0, 100)}`, 'not a header value');
    const lowered = header.toLowerCase();
    if (!isInherited(lowered) || OF_THE_BATCH.test(lowered)) continue;
    const earlier = headers[lowered];
    headers[lowered] = earlier === undefined ? text : `${earlier}, ${text}`;
  }
  return headers;
}

function bounded<T extends object>(members: T, name: string, most: number, what: string): T {
  if (Object.keys(members).length > most) throw invalidPostedData(name, `more than ${most} ${what}`);
  return members;
}

function mergedBody(shared: Mapping | undefined, own: unknown, name: string): Mapping | undefined {
  if (own === undefined || own === null) return shared;
  return { ...shared, ...bounded(requireMapping(own, `${name}.body`), `${name}.body`, MAX_MEMBERS, 'members') };
}

/** True for headers of the batch that its entries inherit. */
export const isInherited = (name: string): boolean => !OF_THE_MESSAGE.test(name);

function requireMapping(value: unknown, name: string): Mapping {
  if (!isMapping(value)) throw invalidPostedData(name, 'not an object');
  return value;
}
