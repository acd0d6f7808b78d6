import type { ServerResponse } from 'node:http';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * An answer whose status or headers a handler decides. A handler that returns anything else answers 200 with it as JSON.
 * `body` undefined: no body (304). Text that is JSON already goes out as it is when wrapped in `RawJson`.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/**
 * Nest asks of every result whether it is a plain object, by comparing the source of its constructor with that of `Object`: as
 * much work as looking up the route. Without a constructor there is nothing to compare.
 */
delete (Reply.prototype as { constructor?: unknown }).constructor;

/** A body that is serialised already. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Writes an answer as JSON: nothing is added to it, and nothing is decided about it here. The status is written at once, though
 * the answer goes out at the end of the turn, so that nobody can give a second one. The headers go as a list, names and values
 * in turn: setting each by itself costs as much as all the rest of the answer.
 */
export function writeReply(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name]!);
  if (body === undefined) return void response.writeHead(status, list).end();
  const text = body instanceof RawJson ? body.text : JSON.stringify(body);
  list.push('Content-Type', CONTENT_TYPE, 'Content-Length', String(Buffer.byteLength(text)));
  response.writeHead(status, list).end(text);
}
