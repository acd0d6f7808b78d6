import { MAX_CODE_POINTS } from './fields.js';
import { isLongerThan } from './text.js';

const OPAQUE_SCHEMES = new Set(['javascript', 'vbscript', 'data', 'mailto', 'about', 'blob']);

/**
 * A name, or in brackets an IPv6 address, perhaps with a zone (RFC 6874), or one of a later version; the port is digits, if
 * any (RFC 3986, section 3.2).
 */
const HOST_AND_PORT = /^(\[(?:[0-9a-f.]*:[0-9a-f:.]*(?:%[^[\]]+)?|v[0-9a-f]+\.[^[\]]+)\]|[^[\]:]*)(?::\d*)?$/i;

/**
 * Why `url` is not valid for an article; undefined if it is: an absolute hierarchical URL with a host, without white
 * space or control characters, of at most 2048 code points. Runs in linear time.
 */
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
