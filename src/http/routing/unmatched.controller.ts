import { All, Controller, Injectable, Req } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, IRoute, Request } from 'express';
import { Settings } from '../../config/settings.js';
import { ApiError, supportEnded } from '../../protocol/api-error.js';
import { Public } from '../access.js';
import { publicUrl } from '../request/request-url.js';
import { Reply } from '../response/reply.js';
import type { StaticFiles } from '../response/static-files.js';
import { ServiceStatus } from '../service-status.js';

/** Matches every path: the route for what no other route handles. */
export const ANY_PATH = '/{*path}';

/** A layer of Express's router, whose types lack `match`; middlewares have no route. */
interface Layer {
  route?: IRoute;
  match(path: string): { params: Partial<Record<string, string | string[]>> } | false;
}

/** The paths of the service and the methods each one supports, from the routes of its controllers. */
@Injectable()
export class KnownPaths {
  /** Of the paths below a folder, which a route ending in `*path` matches, only those of its files exist. */
  readonly folders = new Map<string, StaticFiles>();

  constructor(private readonly host: HttpAdapterHost) {}

  /** The methods of a path in alphabetical order, HEAD along with GET; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const layers = this.host.httpAdapter.getInstance<Express>().router.stack as unknown as Layer[];
    const stacks = layers.filter((layer) => this.leadsTo(layer, path)).flatMap(({ route }) => route!.stack);
    const methods = new Set(stacks.map(({ method }) => method.toUpperCase()));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  private leadsTo(layer: Layer, path: string): boolean {
    const pattern = layer.route?.path ?? ANY_PATH;
    const found = pattern !== ANY_PATH && layer.match(path);
    if (!found) return false;
    const files = this.folders.get(pattern.replace(/\*path$/, ''));
    return !files || files.has((found.params.path as string[]).join('/'));
  }
}

/** What ends with support. `EndOfServiceGuard` never sees a request whose method its path lacks. */
const ENDING = /^\/v2\/(articles|batch|[^/]+-oauth)(\/|$)/;

/** Handles what no other controller does: preflights, 410 of old versions, 405, redirects to `/v2`, else 404 / 111. */
@Public({ outlivesService: true, isUnlimited: true })
@Controller()
export class UnmatchedController {
  constructor(
    private readonly settings: Settings,
    private readonly paths: KnownPaths,
    private readonly status: ServiceStatus,
  ) {}

  @All(ANY_PATH)
  respond(@Req() request: Request): Reply {
    const { method, path } = request;
    const known = this.paths.methodsOf(path);
    if (method === 'OPTIONS') {
      // Browsers do not follow redirects of a preflight, so respond for the path it would redirect to.
      const target = known.length > 0 ? path : `/v2${path}`;
      const methods = this.paths.methodsOf(target);
      if (methods.length > 0) return preflight(request, methods, this.withoutDisabled(target, methods));
    }
    if (/^\/v[01](\/|$)/.test(path)) throw new ApiError('deprecated', 'This version of the API is gone; use /v2');
    const allowed = this.withoutDisabled(path, known);
    if (allowed.length > 0 && this.status.isPastEnd() && ENDING.test(path)) throw supportEnded();
    if (allowed.length > 0)
      throw new ApiError('methodNotAllowed', `${method}: not allowed here`, { Allow: allowed.join(', ') });
    if (/^\/v2(\/|$)/.test(path) || [...this.paths.folders.keys()].some((folder) => path.startsWith(folder)))
      throw new ApiError('notFound', 'Unknown path');
    return new Reply(307, {}, { Location: `${publicUrl(request, this.settings)}/v2${request.originalUrl}` });
  }

  private withoutDisabled(path: string, methods: string[]): string[] {
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
    ...(asked && { 'Access-Control-Allow-Headers': asked, Vary: 'Access-Control-Request-Headers' }),
  });
}
