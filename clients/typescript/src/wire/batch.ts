import { ReadingListError } from '../errors.js';
import { errorOf } from './refusal.js';

/** One request of a batch; `path` begins with `/` and needs no `/v2`. */
export interface BatchRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** What a request of a batch got: what it would have got alone. */
export interface BatchAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  /** Set when the status is 400 or more. */
  error?: ReadingListError;
}

/** A response as it stands in the body of a batch. */
export interface Slot {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * Sends requests in chunks, in order, and smaller ones where the service finds a chunk too large (400, 413). A request that
 * is too large on its own is answered with that error; everything else that a whole chunk is refused for rejects.
 * @param post sends one chunk
 */
export async function sendInChunks(
  requests: readonly BatchRequest[],
  limit: number,
  post: (chunk: readonly BatchRequest[]) => Promise<Slot[]>,
): Promise<BatchAnswer[]> {
  const answers: BatchAnswer[] = [];
  for (let size = limit; answers.length < requests.length;) {
    const chunk = requests.slice(answers.length, answers.length + size);
    try {
      const slots = await post(chunk);
      if (slots.length !== chunk.length) throw new ReadingListError('protocol', 'a batch with missing responses');
      answers.push(...slots.map(answerOf));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (chunk.length === 1) answers.push({ status: error.status!, headers: new Headers(), body: undefined, error });
      size = Math.max(1, Math.floor(chunk.length / 2));
    }
  }
  return answers;
}

function answerOf({ status, headers = {}, body }: Slot): BatchAnswer {
  const answer = { status, headers: new Headers(headers), body };
  return status < 400 ? answer : { ...answer, error: errorOf(status, answer.headers, body) };
}

const isTooLarge = (error: unknown): error is ReadingListError =>
  error instanceof ReadingListError && (error.status === 400 || error.status === 413);
