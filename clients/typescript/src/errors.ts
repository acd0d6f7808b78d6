/** The kinds of errors that callers have to distinguish. */
export type ErrorKind = 'network' | 'auth' | 'gone' | 'busy' | 'refused' | 'protocol';

/** Details of an error besides its message. */
export interface ErrorDetails {
  status?: number | undefined;
  errno?: number | undefined;
  field?: string | undefined;
  retryAfterSeconds?: number | undefined;
  isUnserved?: boolean;
  cause?: unknown;
}

/**
 * The only error that this library throws deliberately, except for the TypeError of a wrong `baseUrl`.
 *
 * - `network`: no response, or an incomplete one; retry later.
 * - `auth`: 401, or 403 because of the token; the user has to sign in again.
 * - `gone`: 410, the service is out of support.
 * - `busy`: 408, 429 or 5xx; retry after `retryAfterSeconds`.
 * - `refused`: the service or this library does not accept the request; `field` names the field that is to blame, if
 *   any.
 * - `protocol`: a response that is not the service's, such as the sign-in page of a captive portal, or that of a wrong URL.
 */
export class ReadingListError extends Error {
  override readonly name = 'ReadingListError';
  readonly kind: ErrorKind;
  readonly status?: number;
  /** The service's own error number (docs/protocol.md, "Errors"). */
  readonly errno?: number;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  /** Whether it is certain that the service did not carry out the request. */
  readonly isUnserved?: boolean;

  constructor(kind: ErrorKind, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    Object.assign(this, details);
  }
}

/** An error of the storage, or of this library. */
export const asReadingListError = (cause: unknown): ReadingListError =>
  cause instanceof ReadingListError ? cause : new ReadingListError('refused', String(cause), { cause });
