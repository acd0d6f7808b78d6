import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { ApiError } from '../../protocol/api-error.js';
import { statusHeaders } from '../../protocol/service-headers.js';
import { ServiceStatus } from '../service-status.js';
import { Reply } from './reply.js';

/**
 * Makes an answer of what handlers, guards and middlewares throw (docs/protocol.md, "Errors"), and remembers its number for the
 * log and the metrics.
 */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly status: ServiceStatus,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const error = toApiError(exception);
    const { context } = request;
    context.errno = error.errno;
    // What the framework says of a malformed address quotes the client, who must not get into the log.
    if (error.cause || error.kind === 'unexpected') context.failure = exception;
    if (request.destroyed && !response.writable) return;
    const headers = { ...statusHeaders(error.status, this.status.current()), ...error.headers };
    this.host.httpAdapter.reply(response, new Reply(error.status, error.body(), headers));
  }
}

function toApiError(exception: unknown): ApiError {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof HttpException && exception.getStatus() < 500)
    return new ApiError('invalidParameter', 'The address is malformed');
  return new ApiError('unexpected', 'An unexpected error occurred');
}
