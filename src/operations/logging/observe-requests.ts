import type { NextFunction, Request, Response } from 'express';
import { type Observed, observedRequest } from './observed-request.js';
import { requestIdOf } from './request-id.js';

/** Called for every request and batch entry once its response is sent or its client is gone. */
export type RequestObserver = (request: Observed) => void;

/** Assigns every request its id and notifies the observers when it ends. Batch entries have the id of their batch. */
export function observeRequests(observers: readonly RequestObserver[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const id = requestIdOf(request.headers['x-request-id']);
    request.headers['x-request-id'] = id;
    const { context } = request;
    context.id = id;
    if (observers.length === 0) return next();
    context.whenOver(() => {
      const observed = observedRequest(request, response);
      for (const observe of observers) observe(observed);
    });
    next();
  };
}
