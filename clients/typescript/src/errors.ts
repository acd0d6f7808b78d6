/** What went wrong, as far as a caller has to tell cases apart. */
export type ErrorKind = 'network' | 'auth' | 'gone' | 'busy' | 'refused' | 'protocol';

/** What is known of a failure besides its message. */
export interface ErrorDetails {
  status?: number | undefined;
  errno?: number | undefined;
  field?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * The only error that this library throws on purpose.
 *
 * - `network`: no response, or half of one; try again later.
 * - `auth`: 401 or 403; the user has to sign in again.
 * - `gone`: 410, the service has ended.
 * - `busy`: 429 or 5xx; try again after `retryAfterSeconds`.
 * - `refused`: the service or this library does not accept the request; `field` says why, if it is about one.
 * - `protocol`: a response that is not the service's, such as the sign-in page of a captive portal.
 */
export class ReadingListError extends Error {
  override readonly name = 'ReadingListError';
  readonly kind: ErrorKind;
  readonly status?: number;
  /** The service's own error number (docs/protocol.md, "Errors"). */
  readonly errno?: number;
  readonly field?: string;
  readonly retryAfterSeconds?: number;

  constructor(kind: ErrorKind, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    for (const [name, value] of Object.entries(details))
      if (value !== undefined) Object.defineProperty(this, name, { value, enumerable: true });
  }
}
