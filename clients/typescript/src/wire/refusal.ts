import { type ErrorKind, ReadingListError } from '../errors.js';
import { readRetryAfter } from './headers.js';

/** The body of the service's errors. */
interface ErrorBody {
  code: number;
  errno: number;
  message?: string;
  /** The limit that a creation would exceed. */
  max_articles?: number;
  /** The token may only read. */
  read_only?: boolean;
}

/**
 * The error for a response with a status of 400 or above. Any intermediary can respond with 401, 404 or 410, so these
 * count only with a body in the service's format, or its type if the method is HEAD.
 */
export function errorOf(
  status: number,
  headers: Headers,
  body: unknown,
  isFromService = isErrorBody(body, status),
): ReadingListError {
  const retryAfterSeconds = readRetryAfter(headers);
  if (!isFromService) {
    if (status >= 500 || status === 429)
      return new ReadingListError('busy', `HTTP ${status}`, { status, retryAfterSeconds });
    return new ReadingListError('protocol', `HTTP ${status}, but not from the service`, { status });
  }
  const { errno, message = `HTTP ${status}`, max_articles, read_only } = (body ?? {}) as Partial<ErrorBody>;
  const field = fieldOf(message);
  const isUnserved = status < 500;
  // The credentials are good: this article is one too many, or they may only read.
  const isOfRequest = status === 403 && (max_articles !== undefined || read_only === true);
  const kind = isOfRequest ? 'refused' : kindOf(status, field);
  return new ReadingListError(kind, message, { status, errno, field, retryAfterSeconds, isUnserved });
}

/** What is not here may be due to a wrong URL or to something on the way. */
const KINDS: Record<number, ErrorKind> = {
  400: 'refused',
  401: 'auth',
  403: 'auth',
  404: 'refused',
  408: 'busy',
  409: 'refused',
  410: 'gone',
  412: 'refused',
  413: 'refused',
  429: 'busy',
};

function kindOf(status: number, field: string | undefined): ErrorKind {
  if (status >= 500) return 'busy';
  // Without the id of a record, 404 means that the path is unknown.
  return status === 404 && field !== 'id' ? 'protocol' : (KINDS[status] ?? 'protocol');
}

/** Messages about a field start with its name. */
const fieldOf = (message: string): string | undefined => /^([a-z_]+(?:\.[\w.]+)?): /.exec(message)?.[1];

const isErrorBody = (body: unknown, status: number): boolean =>
  (body as ErrorBody | null | undefined)?.code === status && typeof (body as ErrorBody).errno === 'number';
