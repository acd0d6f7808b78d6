import { Router } from 'express';

/** The paths of the service and the methods each one supports, matched the way Express matches routes. */
export class KnownPaths {
  private readonly router = Router({ caseSensitive: true, strict: true });
  private readonly folders = new Map<string, (name: string) => boolean>();

  add(method: string, path: string): void {
    const folder = /^(.*\/)\*path$/.exec(path)?.[1];
    this.router.all(path, (request, response, next) => {
      const name = folder && (request.params.path as unknown as string[]).join('/');
      if (name === undefined || this.folders.get(folder!)?.(name)) (response.locals.methods as Set<string>).add(method);
      next();
    });
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
  async methodsOf(path: string): Promise<string[]> {
    const methods = new Set<string>();
    const [request, response] = [{ method: 'GET', url: path }, { locals: { methods } }];
    await new Promise<void>((resolve) =>
      this.router(request as Parameters<Router>[0], response as unknown as Parameters<Router>[1], () => resolve()),
    );
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }
}
