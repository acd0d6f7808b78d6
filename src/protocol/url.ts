import { MAX_CODE_POINTS } from './fields.js';
import { isLongerThan } from './text.js';

const OPAQUE_SCHEMES = new Set(['javascript', 'vbscript', 'data', 'mailto', 'about', 'blob']);

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
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:[^\]:]*$/, '');
  return host === '' ? 'a URL without a host' : undefined;
}
