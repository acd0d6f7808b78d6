import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { decodePercent } from '../../protocol/percent-encoding.js';
import { isContinue, linesOf, MAX_HEADER_BYTES, MAX_HEADERS } from '../../protocol/request-headers.js';

/** `scheme://host[:port]` as the client sees it: PUBLIC_URL, else from the request and a trusted proxy's headers. */
export function publicUrl(request: Request, settings: Pick<Settings, 'publicUrl'>): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  // The port may be empty.
  const hosts = [request.host, request.headers.host].map((host) => host?.replace(/:$/, ''));
  return `${/^https$/i.test(request.protocol) ? 'https' : 'http'}://${hosts.find(isHost) ?? 'localhost'}`;
}

/** The URL of the documentation: DOCUMENTATION_URL, or else the service's own. */
export const documentationUrl = (request: Request, settings: Settings): string =>
  settings.documentationUrl ?? `${publicUrl(request, settings)}/docs`;

const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([\w.-]{1,255}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);

/** The part of a URL before the first `?`. */
export const pathOf = (url: string): string => (url.includes('?') ? url.slice(0, url.indexOf('?')) : url);

/** The part of the request's URL after the first `?`; empty if there is none. */
export const queryString = ({ url }: Pick<IncomingMessage, 'url'>): string => url!.slice(pathOf(url!).length + 1);

/** The query of the next page: a valid one, with all parameters kept, `_token` replaced and `_limit` always present. */
export function nextPageQuery(search: string, pageSize: number, token: string): string {
  const kept = search.split('&').filter((part) => part !== '' && nameOf(part) !== '_token');
  const limit = kept.some((part) => nameOf(part) === '_limit') ? [] : [`_limit=${pageSize}`];
  return [...kept, ...limit, `_token=${token}`].join('&');
}

/** The name of a parameter; of one that is ignored, the percent-encoding may be malformed. */
function nameOf(part: string): string {
  const name = part.split('=', 1)[0]!;
  return decodePercent(name) ?? name;
}

/** Many entries would be compared with each other, which takes twenty milliseconds for 64 KiB. */
const MAX_NEGOTIATED = 4_096;
/** What comes after a malformed request may not be what its sender meant. */
const CLOSE = { Connection: 'close' };

/** Refuses what Node accepts but cannot name a resource here; cuts the URL to path and query, and `/v2/` to `/v2`. */
export function requireWellFormed(request: Request, response: Response, next: NextFunction): void {
  // Checked first, on the raw headers, names and values: the getter `headers` builds its object only when it is read.
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    throw new ApiError('headersTooLarge', `The request has more than ${MAX_HEADERS} headers`, CLOSE);
  const { httpVersion, headers, rawHeaders, url, context } = request;
  // Node has refused longer ones, but for those in a batch, where reading them could hold up everybody.
  if (context.isBatchEntry && url.length + Object.values(headers).join('').length > MAX_HEADER_BYTES)
    throw new ApiError('headersTooLarge', `The request line and headers are larger than ${MAX_HEADER_BYTES} bytes`);
  // Node loses what was sent after such a request.
  if (headers.upgrade !== undefined && /upgrade/i.test(headers.connection ?? '') && !context.isBatchEntry)
    response.set(CLOSE);
  for (const name of ['accept', 'accept-encoding'])
    if ((headers[name]?.length ?? 0) > MAX_NEGOTIATED)
      throw new ApiError('headersTooLarge', `${name}: longer than ${MAX_NEGOTIATED} characters`, CLOSE);
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw malformed('The version of HTTP is neither 1.0 nor 1.1');
  if (httpVersion === '1.1' && headers.host === undefined) throw malformed('Host: missing');
  // Node keeps the first of two, while a proxy may have used the other.
  for (const name of ['Host', 'Authorization'])
    if (linesOf(name, rawHeaders).length > 1) throw malformed(`${name}: given twice`);
  if (headers.host !== undefined && !HOST.test(headers.host)) throw malformed('Host: not a host');
  if (headers.expect !== undefined && !isContinue(headers.expect))
    throw new ApiError('expectationFailed', 'Expect: only 100-continue is supported');
  request.originalUrl = withoutFragment(withoutOrigin(url));
  request.url = routedUrl(request.originalUrl).replace(/^\/v2\/(?=\?|$)/, '/v2');
  next();
}

const malformed = (message: string): ApiError => new ApiError('invalidParameter', message, CLOSE);

/** A valid value of a `Host` header (RFC 9110, 7.2) of at most 261 characters, whether or not that host can exist. */
const HOST = /^(?!.{262})(\[[0-9a-fv:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(:\d*)?$/i;

/** The path stays as it was sent: a URL parser would resolve dots in it. */
function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const [origin] = /^https?:\/\/(?![^/?#\\]{262})[^/?#\\]+/i.exec(url) ?? [];
  if (origin === undefined || !URL.canParse(origin)) throw malformed('The URL has no path');
  const rest = url.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Removes a fragment, for which Express would parse the URL again. In the query, `#` is escaped: clients would cut it. */
export const withoutFragment = (url: string): string =>
  url.includes('#') ? url.replace(/^([^?#]*)#[^?]*/, '$1').replaceAll('#', '%23') : url;

/** More than any path of the service has: a longer one is refused either way, and sooner if the router sees a part of it. */
const MAX_PATH = 2_048;

/** Escapes malformed percent-encoding: guards and the handler should judge it, not the router. */
function routedUrl(url: string): string {
  const sent = pathOf(url);
  const path = sent.slice(0, MAX_PATH);
  return (decodePercent(path) === undefined ? path.replaceAll('%', '%25') : path) + url.slice(sent.length);
}
