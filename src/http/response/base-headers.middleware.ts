import type { NextFunction, Request, Response } from 'express';
import { baseHeaders } from '../../protocol/service-headers.js';
import { pathOf } from '../request/query-string.js';

/** Sets the headers of every response; a handler may override them. */
export function setBaseHeaders(request: Request, response: Response, next: NextFunction): void {
  const headers = baseHeaders(request.method, pathOf(request.url));
  for (const name in headers) response.setHeader(name, headers[name]!);
  next();
}
