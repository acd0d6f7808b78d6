import type { NextFunction, Request, Response } from 'express';
import { type Observed, ObservedRequest } from './observed-request.js';
import { requestIdOf } from './request-id.js';

/** Is told about every request, and every entry of a batch, once its answer is out or its client gone. */
export type RequestObserver = (request: Observed) => void;

/**
 * Gives every request its id, which goes back in `X-Request-Id`, and tells the observers when it is over. The entries of a
 * batch have the id of their batch.
 */
export function observeRequests(observers: readonly RequestObserver[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const id = requestIdOf(request.headers['x-request-id']);
    request.headers['x-request-id'] = id;
    response.setHeader('X-Request-Id', id);
    const { context } = request;
    context.id = id;
    if (observers.length === 0) return next();
    context.whenOver(() => {
      const observed = new ObservedRequest(request, response, performance.now() - context.startedAt);
      for (const observe of observers) observe(observed);
    });
    next();
  };
}
