import { ReadingListError } from '../errors.js';
import { errorOf } from './refusal.js';

/** One request of a batch; `path` begins with `/` and needs no `/v2`. */
export interface BatchRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** The response to a request of a batch, the same as if it had been sent alone. */
export interface BatchResponse {
  status: number;
  headers: Headers;
  body: unknown;
  /** Set if the status is 400 or above. */
  error?: ReadingListError;
}

/** A response in the body of a batch. */
export interface Slot {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * Sends requests in chunks, in order, with smaller chunks if the service rejects one as too large (400, 413). A request
 * that is too large on its own gets that error as its response; any other error of a whole chunk rejects, and is
 * `isUnserved` only if it is the first one.
 * @param post sends one chunk
 */
export async function sendInChunks(
  requests: readonly BatchRequest[],
  limit: number,
  post: (chunk: readonly BatchRequest[]) => Promise<Slot[] | undefined>,
): Promise<BatchResponse[]> {
  const responses: BatchResponse[] = [];
  for (let size = limit; responses.length < requests.length;) {
    const chunk = requests.slice(responses.length, responses.length + size);
    try {
      const slots = await post(chunk);
      if (slots?.length !== chunk.length) throw new ReadingListError('protocol', 'a batch without its responses');
      responses.push(...slots.map(responseOf));
    } catch (error) {
      if (!isTooLarge(error)) throw responses.length > 0 ? Object.assign(error as Error, { isUnserved: false }) : error;
      if (chunk.length === 1) responses.push({ status: error.status!, headers: new Headers(), body: undefined, error });
      size = Math.max(1, Math.floor(chunk.length / 2));
    }
  }
  return responses;
}

function responseOf(slot: Slot): BatchResponse {
  const { status, headers: given, body } = Object(slot) as Partial<Slot>;
  const headers = headersOf(given);
  if (typeof status !== 'number')
    return { status: 0, headers, body, error: new ReadingListError('protocol', 'a response without a status') };
  const response = { status, headers, body };
  return status < 400 ? response : { ...response, error: errorOf(status, response.headers, body) };
}

/** The headers of a response in a batch; none if they are not headers. */
function headersOf(given: unknown): Headers {
  try {
    return new Headers(Object(given) as Record<string, string>);
  } catch {
    return new Headers();
  }
}

const isTooLarge = (error: unknown): error is ReadingListError =>
  error instanceof ReadingListError && (error.status === 400 || error.status === 413);
