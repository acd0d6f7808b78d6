import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Settings } from '../../config/settings.js';

/** `scheme://host[:port]` as the client sees it: PUBLIC_URL, else from the request and a trusted proxy's headers. */
export function publicUrl(request: Request, settings: Pick<Settings, 'publicUrl'>): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  // The port may be empty.
  const hosts = [request.host, request.headers.host].map((host) => host?.replace(/:$/, ''));
  return `${request.protocol === 'https' ? 'https' : 'http'}://${hosts.find(isHost) ?? 'localhost'}`;
}

/** The URL of the documentation: DOCUMENTATION_URL, or else the service's own. */
export const documentationUrl = (request: Request, settings: Settings): string =>
  settings.documentationUrl ?? `${publicUrl(request, settings)}/docs`;

const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);

/** True for any valid value of a `Host` header (RFC 9110, section 7.2), whether or not that host can exist. */
export const isHostHeader = (text: string): boolean =>
  /^(\[[0-9a-fv:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(:\d*)?$/i.test(text);

/** The part of a URL before the first `?`. */
export function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/**
 * Removes a fragment from the path, and escapes `#` in the query. Otherwise Express would parse the URL again and turn
 * backslashes into slashes, and clients would cut the URL of the next page at the `#`.
 */
export const withoutFragment = (url: string): string => url.replace(/^([^?#]*)#[^?]*/, '$1').replaceAll('#', '%23');

/** The part of the request's URL after the first `?`; empty if there is none. */
export const queryString = ({ url }: Pick<IncomingMessage, 'url'>): string => url!.slice(pathOf(url!).length + 1);

/** The query of the next page: a valid one, with all parameters kept, `_token` replaced and `_limit` always present. */
export function nextPageQuery(search: string, pageSize: number, token: string): string {
  const parts = search.split('&').filter((part) => part !== '');
  const names = parts.map(nameOf);
  const kept = parts.filter((_, at) => names[at] !== '_token');
  const limit = names.includes('_limit') ? [] : [`_limit=${pageSize}`];
  return [...kept, ...limit, `_token=${token}`].join('&');
}

/** Of a name that is ignored, the percent-encoding may be malformed. */
const nameOf = (part: string): string =>
  /[%+]/.test(part) ? [...new URLSearchParams(part).keys()][0]! : part.split('=', 1)[0]!;
