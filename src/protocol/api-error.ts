/** The stable error numbers of the protocol and their HTTP status (docs/protocol.md, "Errors"). */
export const ERRORS = {
  missingAuthorization: { status: 401, errno: 104, error: 'Unauthorized' },
  invalidAuthorization: { status: 401, errno: 105, error: 'Unauthorized' },
  malformedJson: { status: 400, errno: 106, error: 'Bad Request' },
  invalidParameter: { status: 400, errno: 107, error: 'Bad Request' },
  missingParameter: { status: 400, errno: 108, error: 'Bad Request' },
  invalidPostedData: { status: 400, errno: 109, error: 'Bad Request' },
  invalidId: { status: 404, errno: 110, error: 'Not Found' },
  notFound: { status: 404, errno: 111, error: 'Not Found' },
  lengthRequired: { status: 411, errno: 112, error: 'Length Required' },
  bodyTooLarge: { status: 413, errno: 113, error: 'Payload Too Large' },
  modifiedMeanwhile: { status: 412, errno: 114, error: 'Precondition Failed' },
  methodNotAllowed: { status: 405, errno: 115, error: 'Method Not Allowed' },
  tooManyRequests: { status: 429, errno: 117, error: 'Too Many Requests' },
  forbidden: { status: 403, errno: 121, error: 'Forbidden' },
  conflict: { status: 409, errno: 122, error: 'Conflict' },
  unavailable: { status: 503, errno: 201, error: 'Service Unavailable' },
  deprecated: { status: 410, errno: 202, error: 'Gone' },
  headersTooLarge: { status: 431, errno: 107, error: 'Request Header Fields Too Large' },
  requestTimeout: { status: 408, errno: 107, error: 'Request Timeout' },
  expectationFailed: { status: 417, errno: 107, error: 'Expectation Failed' },
  unexpected: { status: 500, errno: 999, error: 'Internal Server Error' },
} as const;

export type ErrorName = keyof typeof ERRORS;

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

/** 503 / 201 with what caused it, for the log. */
export const serviceUnavailable = (message: string, cause: unknown): ApiError =>
  Object.assign(new ApiError('unavailable', message), { cause });

/** 403 / 121 with the limit as a member, which distinguishes it from that of a token without the scope. */
export function quotaReached(max_articles: number): ApiError {
  const message = `The limit of ${max_articles} articles is reached; delete some first`;
  return new ApiError('forbidden', message, {}, { max_articles });
}

/** 412 / 114 with the current timestamp of the record or collection that changed. */
export const modifiedMeanwhile = (current: number): ApiError =>
  new ApiError('modifiedMeanwhile', 'Resource was modified meanwhile', { 'Last-Modified': String(current) });
