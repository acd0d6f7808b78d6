import { ERRORS, type ErrorName } from './errno.js';

/** A response of status 400 or above, with its error number, message and headers. */
export class ApiError extends Error {
  readonly status: number;
  readonly errno: number;
  readonly error: string;

  /** @param headers response headers that only this error carries, such as `Allow` on 405 */
  constructor(
    readonly kind: ErrorName,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Additional members of the body. */
    private readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    ({ status: this.status, errno: this.errno, error: this.error } = ERRORS[kind]);
  }

  /** The JSON body. @param documentation its URL, perhaps with a query; the page about errors is below it */
  body(documentation: string) {
    const { status: code, errno, error, message } = this;
    const info = documentation.replace(/\/?(\?[^#]*)?(#.*)?$/, `/errors$1#${errno}`);
    return { ...this.details, code, errno, error, message, info };
  }
}

/** 400 / 107 that names a query parameter, a header or a path parameter. */
export const invalidParameter = (name: string, reason: string): ApiError =>
  new ApiError('invalidParameter', `${name}: ${reason}`);

/** 400 / 108 that names a field of the body. */
export const missingField = (field: string): ApiError => new ApiError('missingParameter', `${field}: missing`);

/** 400 / 109 that names a field of the body. */
export const invalidPostedData = (field: string, reason: string): ApiError =>
  new ApiError('invalidPostedData', `${field}: ${reason}`);

/** 410 / 202 after the end-of-support date. */
export const supportEnded = (): ApiError => new ApiError('deprecated', 'The service has reached its end of support');

/** 403 / 121 with the limit as a member, which distinguishes it from that of a token without the scope. */
export function quotaReached(max_articles: number): ApiError {
  const message = `The limit of ${max_articles} articles is reached; delete some first`;
  return new ApiError('forbidden', message, {}, { max_articles });
}

/** 412 / 114 with the current timestamp of the record or collection that changed. */
export const modifiedMeanwhile = (current: number): ApiError =>
  new ApiError('modifiedMeanwhile', 'Resource was modified meanwhile', { 'Last-Modified': String(current) });
