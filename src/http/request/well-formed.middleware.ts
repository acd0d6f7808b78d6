import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../../protocol/api-error.js';
import { decodePercent } from '../../protocol/percent-encoding.js';
import { isContinue, isRepeated, MAX_HEADER_BYTES, MAX_HEADERS } from '../../protocol/request-headers.js';
import { isHostHeader, pathOf, withoutFragment } from './request-url.js';

/** Of two values Node keeps the first, while a proxy may have used the other. */
const SINGLE = ['Host', 'Authorization'];
/** Their many entries would be compared with each other, which takes twenty milliseconds for 64 KiB. */
const NEGOTIATED = ['accept', 'accept-encoding'] as const;
const MAX_NEGOTIATED = 4_096;
/** What comes after a malformed request may not be what its sender meant. */
const CLOSE = { Connection: 'close' };

/**
 * Refuses requests that Node's parser accepts but that cannot name a resource here. Cuts an absolute URL, as clients of
 * proxies send it, to its path, drops a fragment, and maps `/v2/` to `/v2`.
 */
export function requireWellFormed(request: Request, response: Response, next: NextFunction): void {
  // Checked first, on the raw headers, names and values: the getter `headers` builds its object only when it is read.
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    throw new ApiError('headersTooLarge', `The request has more than ${MAX_HEADERS} headers`, CLOSE);
  // Node has refused longer ones, but for those in a batch, where reading them could hold up everybody.
  if (request.url.length > MAX_HEADER_BYTES)
    throw new ApiError('headersTooLarge', `The request line is larger than ${MAX_HEADER_BYTES} bytes`);
  const { httpVersion, headers } = request;
  // Node loses what was sent after such a request.
  if (headers.upgrade !== undefined && !request.context.isBatchEntry) response.set(CLOSE);
  for (const name of NEGOTIATED)
    if ((headers[name]?.length ?? 0) > MAX_NEGOTIATED)
      throw new ApiError('headersTooLarge', `${name}: longer than ${MAX_NEGOTIATED} characters`, CLOSE);
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw malformed('The version of HTTP is neither 1.0 nor 1.1');
  if (httpVersion === '1.1' && headers.host === undefined) throw malformed('Host: missing');
  for (const name of SINGLE) if (isRepeated(name, request.rawHeaders)) throw malformed(`${name}: given twice`);
  if (headers.host !== undefined && !isHostHeader(headers.host)) throw malformed('Host: not a host');
  if (headers.expect !== undefined && !isContinue(headers.expect))
    throw new ApiError('expectationFailed', 'Expect: only 100-continue is supported');
  if (!request.url.startsWith('/')) cutToPath(request);
  if (!request.url.startsWith('/')) throw malformed('The URL has no path');
  if (request.url.includes('#')) request.url = request.originalUrl = withoutFragment(request.url);
  request.url = withDecodablePath(request.url);
  if (pathOf(request.url) === '/v2/') request.url = `/v2${request.url.slice('/v2/'.length)}`;
  next();
}

const malformed = (message: string): ApiError => new ApiError('invalidParameter', message, CLOSE);

/** The path stays as it was sent: a URL parser would resolve dots in it. */
function cutToPath(request: Request): void {
  const [origin] = /^https?:\/\/[^/?#\\]+/i.exec(request.url) ?? [];
  if (origin === undefined || !URL.canParse(origin)) return;
  const rest = request.url.slice(origin.length);
  request.url = request.originalUrl = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Escapes malformed percent-encoding: guards and the handler should judge it, not the router. */
function withDecodablePath(url: string): string {
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  return decodePercent(path) === undefined ? path.replaceAll('%', '%25') + url.slice(path.length) : url;
}
