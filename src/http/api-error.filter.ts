import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../protocol/api-error.js';
import { writeReply } from './json.adapter.js';
import { Reply } from './reply.js';

/** The one place where an error becomes an answer (docs/protocol.md, "Errors"). */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const error = this.toApiError(exception);
    writeError(http.getRequest<Request>(), http.getResponse<Response>(), error);
  }

  private toApiError(exception: unknown): ApiError {
    if (exception instanceof ApiError) {
      if (exception.cause) this.logger.warn(`${exception.message}: ${describe(exception.cause)}`);
      return exception;
    }
    if (exception instanceof HttpException && exception.getStatus() < 500)
      return new ApiError('invalidParameter', 'The address is malformed');
    this.logger.error(describe(exception), (exception as Error | undefined)?.stack);
    return new ApiError('unexpected', 'An unexpected error occurred');
  }
}

/** Answers with an error; remembers its number for the log and the metrics. */
export function writeError(request: Request, response: Response, error: ApiError): void {
  response.locals ??= {};
  response.locals.errno = error.errno;
  if (request.destroyed && !response.writable) return;
  writeReply(response, new Reply(error.status, error.body(), error.headers));
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : 'something that is no Error was thrown';
