import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { answerFailure } from './api-error.filter.js';
import type { Messages } from './messages.js';
import { pathOf } from './query-string.js';

type Step = (request: Request, response: Response) => unknown;
type Handler = (request: Request, response: Response, next: NextFunction) => unknown;

/** A route as it was declared; `parameter` is the name of its last segment where that is one. */
interface Route {
  path: string;
  parameter?: string;
  handler: Handler;
}

/** Whole segments of plain characters, the last of which may be a parameter. */
const PLAIN_PATH = /^((?:\/[\w.-]+)*\/)(?::(\w+)|[\w.-]*)$/;

/**
 * What every request runs through, whether it comes from the server or is an entry of a batch: the middlewares, then the
 * handler of its route. Routes with plain paths are found by the address itself; Express, which tries one route after the
 * other, is asked for all the rest.
 */
export class Pipeline {
  private readonly fixed = new Routes();
  private readonly parameterised = new Routes();
  private readonly run: Step;

  constructor(
    private readonly express: Express,
    /** Of which requests and responses have to be. */
    readonly messages: Messages,
    middlewares: readonly RequestHandler[],
  ) {
    this.run = middlewares.reduceRight<Step>(
      (next, middleware) => (request, response) => middleware(request, response, () => next(request, response)),
      (request, response) => this.dispatch(request, response),
    );
  }

  /** Answers a request. */
  readonly handle = (request: Request, response: Response): void => {
    request.originalUrl = request.url;
    request.res = response;
    response.locals = {};
    try {
      this.run(request, response);
    } catch (error) {
      answerFailure(error, request, response);
    }
  };

  /** Tells the handler of a route that Express knows as well; of two for the same requests the first counts. */
  add(method: string, path: string, handler: Handler): void {
    const [, parent, parameter] = PLAIN_PATH.exec(path) ?? [];
    if (parent === undefined) return;
    const [routes, address] = parameter ? [this.parameterised, parent] : [this.fixed, path];
    routes.add(method, address, { path, parameter, handler });
  }

  private dispatch(request: Request, response: Response): void {
    const { method, url } = request;
    const path = pathOf(url);
    const last = path.lastIndexOf('/') + 1;
    const segment = path.slice(last);
    const route =
      this.fixed.find(method, path) ??
      (segment === '' ? undefined : this.parameterised.find(method, path.slice(0, last)));
    if (!route) return void this.express(request, response);
    request.route = route;
    request.params = route.parameter === undefined ? {} : { [route.parameter]: decodeURIComponent(segment) };
    route.handler(request, response, () => void this.express(request, response));
  }
}

/** Routes by address and method; a text joined of both would have to be built, and hashed, for each request. */
class Routes {
  private readonly byAddress = new Map<string, Map<string, Route>>();

  add(method: string, address: string, route: Route): void {
    const byMethod = this.byAddress.get(address) ?? new Map<string, Route>();
    this.byAddress.set(address, byMethod);
    if (!byMethod.has(method)) byMethod.set(method, route);
  }

  find(method: string, address: string): Route | undefined {
    return this.byAddress.get(address)?.get(method);
  }
}
