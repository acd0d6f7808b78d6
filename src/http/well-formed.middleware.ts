import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../protocol/api-error.js';
import { writeError } from './api-error.filter.js';
import { pathOf } from './query-string.js';

/**
 * Refuses what is valid for Node's parser but names no resource here; an absolute address is cut to its path, and `/v2/` is
 * the one path with two spellings.
 */
export function requireWellFormed(request: Request, response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) return refuse('Host: missing');
  if (!request.url.startsWith('/')) {
    const { pathname, search, protocol } = URL.canParse(request.url) ? new URL(request.url) : ({} as URL);
    if (protocol !== 'http:' && protocol !== 'https:') return refuse('The address has no path');
    request.url = request.originalUrl = pathname + search;
  }
  request.url = withDecodablePath(request.url);
  if (pathOf(request.url) === '/v2/') request.url = `/v2${request.url.slice('/v2/'.length)}`;
  next();

  function refuse(message: string): void {
    writeError(request, response, new ApiError('invalidParameter', message));
  }
}

/** Malformed percent-encoding stands for itself: it is for the guards and the handler to judge, not for the router. */
function withDecodablePath(url: string): string {
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
