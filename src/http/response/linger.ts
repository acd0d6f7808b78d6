import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may keep sending an unwanted body. */
const LINGER_MS = 1_000;
/** How long a client may stop reading a complete response. */
export const STALLED_READER_MS = 30_000;

/** True while the body of a request is still arriving and does not wait for `100 Continue`. */
export const isArriving = ({ complete, destroyed, headers }: IncomingMessage): boolean =>
  !complete && !destroyed && headers.expect === undefined;

/**
 * Sends the whole response, and ends it once the request's body has arrived or a second has passed. Closing the
 * connection earlier would make the operating system reset it, and the client might never read the response.
 */
export function endAfterBody(response: ServerResponse, content?: string | Buffer): void {
  const { req: request } = response;
  if (content === undefined || request.method === 'HEAD') response.flushHeaders();
  else response.write(content);
  const end = (): void => {
    clearTimeout(limit);
    endForReader(response);
  };
  const limit = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}

/**
 * Ends a response. A client that stops reading is cut off after half a minute; almost all responses need no timer, as
 * the operating system takes them at once.
 */
export function endForReader(response: ServerResponse, content?: string | Buffer): void {
  response.end(content);
  const { socket } = response.req;
  if (socket.writableLength > 0) socket.setTimeout(STALLED_READER_MS);
}
