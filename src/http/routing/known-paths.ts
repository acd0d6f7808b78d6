import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { match, type MatchFunction } from 'path-to-regexp';

/** Matches every path: the route for what no other route handles. */
export const ANY_PATH = '/{*path}';

interface KnownRoute {
  methods: string[];
  matches: MatchFunction<Partial<Record<string, string | string[]>>>;
  /** The folder of a route that ends in `*path`. */
  folder?: string;
}

/** The paths of the service and the methods each one supports: a table made once from the routes of its controllers. */
@Injectable()
export class KnownPaths implements OnApplicationBootstrap {
  private routes: KnownRoute[] = [];
  private readonly folders = new Map<string, (name: string) => boolean>();

  constructor(private readonly host: HttpAdapterHost<ExpressAdapter>) {}

  onApplicationBootstrap(): void {
    const { stack } = this.host.httpAdapter.getInstance<Express>().router;
    this.routes = stack.flatMap(({ route }) => (route && route.path !== ANY_PATH ? [toKnown(route)] : []));
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
    const methods = new Set(this.routes.flatMap((route) => (this.leadsTo(route, path) ? route.methods : [])));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  private leadsTo({ matches, folder }: KnownRoute, path: string): boolean {
    const found = matches(path);
    if (!found || folder === undefined) return found !== false;
    return this.folders.get(folder)?.((found.params.path as string[]).join('/')) ?? false;
  }
}

/** Matches as Express does with case-sensitive and strict routing. */
function toKnown({ path, stack }: { path: string; stack: { method: string }[] }): KnownRoute {
  return {
    methods: stack.map(({ method }) => method.toUpperCase()),
    matches: match(path, { sensitive: true, trailing: false }),
    folder: /^(.*\/)\*path$/.exec(path)?.[1],
  };
}
