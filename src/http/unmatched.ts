import type { Express, Request, RequestHandler, Response } from 'express';
import type { ILayer } from 'express-serve-static-core';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { writeError } from './api-error.filter.js';
import { publicUrl } from './public-url.js';
import { Reply, writeReply } from './reply.js';

const OLD_VERSION = /^\/v[01](\/|$)/;
const CURRENT_VERSION = /^\/v2(\/|$)/;

/**
 * Answers what no route matched: a CORS preflight, 410 for old versions, 405 with `Allow` for other verbs of a known path, a
 * redirect of unprefixed paths to `/v2`, else 404 / 111.
 */
export function unmatched(express: Express, settings: Settings): RequestHandler {
  return (request, response) => {
    const allowed = allowedMethods(express, request.path);
    if (request.method === 'OPTIONS') {
      // A browser follows no redirect of a preflight, so that it is answered for the path behind the redirect.
      const verbs = allowed.length > 0 ? allowed : allowedMethods(express, `/v2${request.path}`);
      if (verbs.length > 0) return preflight(request, response, verbs);
    }
    if (OLD_VERSION.test(request.path))
      return writeError(request, response, new ApiError('deprecated', 'This version of the API is gone, use /v2'));
    if (allowed.length > 0) {
      const error = new ApiError('methodNotAllowed', `${request.method}: not allowed here`, {
        Allow: allowed.join(', '),
      });
      return writeError(request, response, error);
    }
    if (CURRENT_VERSION.test(request.path))
      return writeError(request, response, new ApiError('notFound', 'Unknown path'));
    const location = `${publicUrl(request, settings)}/v2${request.originalUrl}`;
    writeReply(response, new Reply(307, {}, { Location: location }));
  };
}

function allowedMethods(express: Express, path: string): string[] {
  const methods = new Set<string>();
  for (const layer of express.router.stack as (ILayer & { match(path: string): boolean })[]) {
    if (!layer.route || !layer.match(path)) continue;
    for (const route of layer.route.stack) if (route.method) methods.add(route.method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

function preflight(request: Request, response: Response, allowed: string[]): void {
  const asked = request.headers['access-control-request-headers'];
  writeReply(
    response,
    new Reply(204, undefined, {
      Allow: allowed.join(', '),
      'Access-Control-Allow-Methods': allowed.join(', '),
      'Access-Control-Max-Age': '3600',
      ...(asked ? { 'Access-Control-Allow-Headers': asked, Vary: 'Access-Control-Request-Headers' } : {}),
    }),
  );
}
