import { Router } from 'express';

/** The paths of the service and the methods that each of them takes, matched as Express matches its routes. */
export class KnownPaths {
  private readonly router = Router({ caseSensitive: true, strict: true });

  add(method: string, path: string): void {
    this.router.all(path, (request, response, next) => {
      (response.locals.methods as Set<string>).add(method);
      next();
    });
  }

  /** The methods of a path in alphabetical order; HEAD goes wherever GET does. None: nobody knows the path. */
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
