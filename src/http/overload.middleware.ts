import type { NextFunction, Request, Response } from 'express';
import { isBatchEntry } from '../logging/batch-entry.js';
import { ApiError } from '../protocol/api-error.js';
import { writeError } from './api-error.filter.js';
import type { LoadMonitor } from './load-monitor.js';

const HEALTH = /^(\/v2)?\/__(lb)?heartbeat__(\?|$)/;

/**
 * Counts requests in flight and refuses new ones with 503 / 201 while the service is full, so that those it has taken are
 * answered in time. Health checks and the entries of a batch that is running are let through.
 */
export function refuseOverload(monitor: LoadMonitor) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (isBatchEntry(request)) return next();
    if (monitor.load === 'full' && !HEALTH.test(request.url)) {
      monitor.refused++;
      return writeError(request, response, new ApiError('unavailable', 'Too many requests are waiting'));
    }
    monitor.inFlight++;
    response.once('close', () => monitor.inFlight--);
    next();
  };
}
