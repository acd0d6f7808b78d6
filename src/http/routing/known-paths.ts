import { Router } from 'express';

/** The paths of the service and the methods each one supports, matched the way Express matches routes. */
export class KnownPaths {
  private readonly router = Router({ caseSensitive: true, strict: true });

  add(method: string, path: string): void {
    this.router.all(path, (request, response, next) => {
      (response.locals.methods as Set<string>).add(method);
      next();
    });
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
