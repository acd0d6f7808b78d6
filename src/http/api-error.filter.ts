import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../protocol/api-error.js';
import { Reply, writeReply } from './reply.js';

/** Hands what handlers and guards throw to `answerFailure`. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerFailure(exception, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

/** The one place where an error becomes an answer (docs/protocol.md, "Errors"). */
export function answerFailure(exception: unknown, request: Request, response: Response): void {
  const error = toApiError(exception);
  // What the framework says of a malformed address quotes the client, who must not get into the log.
  if (error.cause || error.kind === 'unexpected') response.locals.failure = exception;
  writeError(request, response, error);
}

function toApiError(exception: unknown): ApiError {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof HttpException && exception.getStatus() < 500)
    return new ApiError('invalidParameter', 'The address is malformed');
  return new ApiError('unexpected', 'An unexpected error occurred');
}

/** Answers with an error; remembers its number for the log and the metrics. */
export function writeError(request: Request, response: Response, error: ApiError): void {
  response.locals.errno = error.errno;
  if (request.destroyed && !response.writable) return;
  writeReply(response, new Reply(error.status, error.body(), error.headers));
}
