import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../../protocol/api-error.js';
import type { LoadMonitor } from './load-monitor.js';

const HEALTH = /^(\/v2)?\/__(lbheartbeat|heartbeat|version)__(\?|$)/;

/**
 * Counts requests in flight and refuses new ones with 503 / 201 while the service is full, so that those already
 * admitted are served in time. Lets health checks and the entries of a running batch through without counting them.
 * Drops requests whose client is already gone.
 */
export function refuseOverload(monitor: LoadMonitor) {
  return (request: Request, _: Response, next: NextFunction): void => {
    const { context, socket } = request;
    if (context.isBatchEntry) return next();
    if (socket.destroyed) return;
    if (HEALTH.test(request.url)) return next();
    next(monitor.admit(context) ? undefined : new ApiError('unavailable', 'Too many requests are waiting'));
  };
}
