import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { documentationUrl } from '../request/request-url.js';
import { ServiceStatus } from '../service-status.js';
import { Reply } from './reply.js';

/** Turns what is thrown into a response (docs/protocol.md, "Errors"), and notes its errno for log and metrics. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly status: ServiceStatus,
    private readonly settings: Settings,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const [request, response] = host.getArgs<[Request, Response]>();
    const error = toApiError(exception);
    const { context } = request;
    context.errno = error.errno;
    // The framework's message about a malformed URL quotes it, and client data must not be logged.
    if (error.cause || error.kind === 'unexpected') context.failure = exception;
    if (request.destroyed && !response.writable) return;
    const headers = { ...this.status.headersOf(error.status), ...error.headers };
    const body = error.body(documentationUrl(request, this.settings));
    this.host.httpAdapter.reply(response, new Reply(error.status, body, headers));
  }
}

function toApiError(exception: unknown): ApiError {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof HttpException && exception.getStatus() < 500)
    return new ApiError('invalidParameter', 'The URL is malformed');
  return new ApiError('unexpected', 'An unexpected error occurred');
}
