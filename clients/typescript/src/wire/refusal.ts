import { ReadingListError } from '../errors.js';
import { readRetryAfter } from './headers.js';

/** The body of the service's errors. */
interface ErrorBody {
  code: number;
  errno: number;
  message?: string;
}

/**
 * The error for a response with a status of 400 or above. Any intermediary can respond with 401, 404 or 410, so these
 * count only with a body in the service's format.
 */
export function errorOf(status: number, headers: Headers, body: unknown): ReadingListError {
  const retryAfterSeconds = readRetryAfter(headers);
  if (!isErrorBody(body, status)) {
    if (status >= 500 || status === 429)
      return new ReadingListError('busy', `HTTP ${status}`, { status, retryAfterSeconds });
    return new ReadingListError('protocol', `HTTP ${status} that is not from the service`, { status });
  }
  const { errno, message = `HTTP ${status}` } = body;
  const field = fieldOf(message);
  return new ReadingListError(kindOf(status, field), message, { status, errno, field, retryAfterSeconds });
}

/** Only these judge the request itself; any other may be due to a wrong URL or to something on the way. */
const REFUSALS = [400, 404, 409, 412, 413];

function kindOf(status: number, field: string | undefined) {
  if (status === 401 || status === 403) return 'auth';
  if (status === 410) return 'gone';
  if (status === 408 || status === 429 || status >= 500) return 'busy';
  // Without the id of a record, 404 means that the path is unknown.
  return REFUSALS.includes(status) && (status !== 404 || field === 'id') ? 'refused' : 'protocol';
}

/** Messages about a field start with its name. */
const fieldOf = (message: string): string | undefined => /^([a-z_]+(?:\.[\w.]+)?): /.exec(message)?.[1];

const isErrorBody = (body: unknown, status: number): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  (body as ErrorBody).code === status &&
  typeof (body as ErrorBody).errno === 'number';
