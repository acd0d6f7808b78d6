import { All, Controller, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../config/settings.js';
import { ApiError, supportEnded } from '../protocol/api-error.js';
import { Public } from '../http/access.js';
import { publicUrl } from '../http/request/request-url.js';
import { Reply } from '../http/response/reply.js';
import { ANY_PATH, KnownPaths } from '../http/routing/known-paths.js';
import { ServiceStatus } from '../http/service-status.js';

const OLD_VERSION = /^\/v[01](\/|$)/;
const CURRENT_VERSION = /^\/v2(\/|$)/;
/** What ends with support, as in `EndOfServiceGuard`, which does not know methods that a path lacks. */
const ENDING = /^\/v2\/(articles|batch|[^/]+-oauth)(\/|$)/;

/**
 * Handles what no other controller does, and so is registered last: CORS preflights, 410 for old versions, 405 for
 * other methods of a known path, redirects to `/v2`, otherwise 404 / 111. Nobody needs credentials for these.
 */
@Public({ outlivesService: true, isUnlimited: true })
@Controller()
export class UnmatchedController {
  constructor(
    private readonly settings: Settings,
    private readonly paths: KnownPaths,
    private readonly status: ServiceStatus,
  ) {}

  @All(ANY_PATH)
  answer(@Req() request: Request): Reply {
    const { method, path } = request;
    const known = this.paths.methodsOf(path);
    if (method === 'OPTIONS') {
      // Browsers do not follow redirects of a preflight, so respond for the path it would redirect to.
      const target = known.length > 0 ? path : `/v2${path}`;
      const methods = this.paths.methodsOf(target);
      if (methods.length > 0) return preflight(request, methods, this.enabled(target, methods));
    }
    const allowed = this.enabled(path, known);
    if (OLD_VERSION.test(path)) throw new ApiError('deprecated', 'This version of the API is gone; use /v2');
    if (allowed.length > 0 && this.status.isPastEnd() && ENDING.test(path)) throw supportEnded();
    if (allowed.length > 0)
      throw new ApiError('methodNotAllowed', `${method}: not allowed here`, { Allow: allowed.join(', ') });
    if (CURRENT_VERSION.test(path) || this.paths.isBelowFolder(path)) throw new ApiError('notFound', 'Unknown path');
    return new Reply(307, {}, { Location: `${publicUrl(request, this.settings)}/v2${request.originalUrl}` });
  }

  /** The methods of a path without those that the settings disable. */
  private enabled(path: string, methods: string[]): string[] {
    if (this.settings.deleteCollectionEnabled || path !== '/v2/articles') return methods;
    return methods.filter((method) => method !== 'DELETE');
  }
}

/** Also allows methods that are disabled: otherwise the browser would hide the 405 from the script. */
function preflight({ headers }: Request, methods: string[], enabled: string[]): Reply {
  const asked = headers['access-control-request-headers'];
  return new Reply(204, undefined, {
    Allow: enabled.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Max-Age': '3600',
    ...(asked ? { 'Access-Control-Allow-Headers': asked, Vary: 'Access-Control-Request-Headers' } : {}),
  });
}
