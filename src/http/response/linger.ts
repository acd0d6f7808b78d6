import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may go on sending a body that nobody wants. */
const LINGER_MS = 1_000;

/** True while the body of a request is on its way, and will come without being invited. */
export const isArriving = ({ complete, destroyed, headers }: IncomingMessage): boolean =>
  !complete && !destroyed && headers.expect === undefined;

/**
 * Sends the whole answer, and ends it once the body of its request has arrived or the client has had a second for it. A
 * connection that is closed before that is reset by the system, and the client may never read what it was answered.
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
