import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may keep sending an unwanted body. */
const LINGER_MS = 1_000;

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
    response.end();
  };
  const limit = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}
