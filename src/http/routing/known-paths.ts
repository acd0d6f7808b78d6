import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, IRoute } from 'express';

/** Matches every path: the route for what no other route handles. */
export const ANY_PATH = '/{*path}';

/** A layer of Express's router that has a route. Express's types lack `match`. */
interface RouteLayer {
  route: IRoute;
  match(path: string): { params: Partial<Record<string, string | string[]>> } | false;
}

/** The paths of the service and the methods each one supports: a table made once from the routes of its controllers. */
@Injectable()
export class KnownPaths implements OnApplicationBootstrap {
  private layers: RouteLayer[] = [];
  private readonly folders = new Map<string, (name: string) => boolean>();

  constructor(private readonly host: HttpAdapterHost<ExpressAdapter>) {}

  onApplicationBootstrap(): void {
    const { stack } = this.host.httpAdapter.getInstance<Express>().router;
    const layers = stack.filter(({ route }) => route && route.path !== ANY_PATH);
    this.layers = layers as unknown as RouteLayer[];
  }

  /** Of the paths below a folder, which a route ending in `*path` matches, only those of its files exist. */
  addFolder(folder: string, has: (name: string) => boolean): void {
    this.folders.set(folder, has);
  }

  /** True when the path is one of a file that may or may not exist. */
  isBelowFolder(path: string): boolean {
    return [...this.folders.keys()].some((folder) => path.startsWith(folder));
  }

  /** The methods of a path in alphabetical order, HEAD along with GET; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const routes = this.layers.filter((layer) => this.leadsTo(layer, path)).map(({ route }) => route);
    const methods = new Set(routes.flatMap(({ stack }) => stack.map(({ method }) => method.toUpperCase())));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  private leadsTo(layer: RouteLayer, path: string): boolean {
    const found = layer.match(path);
    if (!found) return false;
    const has = this.folders.get(layer.route.path.replace(/\*path$/, ''));
    return !has || has((found.params.path as string[]).join('/'));
  }
}
