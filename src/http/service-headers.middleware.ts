import type { NextFunction, Request, Response } from 'express';
import { baseHeaders, statusHeaders } from '../protocol/service-headers.js';
import type { ServiceStatus } from './service-status.js';

/**
 * Puts the headers that every answer carries on every answer, whoever writes it: a handler, the error filter, a redirect or
 * the documentation pages. The ones that depend on the status are added in the moment it is written.
 */
export function serviceHeaders(status: ServiceStatus) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const headers = baseHeaders(request.method, pathOf(request.url));
    for (const name in headers) response.setHeader(name, headers[name]!);
    const writeHead = response.writeHead.bind(response) as (...parts: unknown[]) => Response;
    response.writeHead = (code: number, ...rest: unknown[]): Response => {
      if (status.draining) response.setHeader('Connection', 'close');
      const late = statusHeaders(code, status.current());
      for (const name in late) if (!response.hasHeader(name)) response.setHeader(name, late[name]!);
      return writeHead(code, ...rest);
    };
    next();
  };
}

/** The path of an address, also of an absolute one. */
const pathOf = (url: string): string =>
  (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')).split('?', 1)[0]!;
