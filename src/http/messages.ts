import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { baseHeaders, statusHeaders } from '../protocol/service-headers.js';
import { atEndOfTurn } from './end-of-turn.js';
import { pathOf } from './query-string.js';
import type { ServiceStatus } from './service-status.js';

/** The classes of the requests and responses that an application handles. */
export type Messages = ReturnType<typeof createMessages>;

/**
 * The classes of which Node's HTTP server, and a batch, make requests and responses. Express gives every message the
 * prototypes it wants, and a change of prototype makes V8 forget how to read the object fast, which was half of the processor
 * time of a small request: messages of these classes have those prototypes from the beginning. Every response gets the headers
 * that the service as a whole decides in the moment its status is written, whoever writes it; headers that are there stay.
 */
export function createMessages(express: Express, status: ServiceStatus) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {
    override writeHead(code: number, ...rest: unknown[]): this {
      if (status.draining) this.setHeader('Connection', 'close');
      const list = rest.find(Array.isArray) as string[] | undefined;
      addMissing(this, list, requestHeaders(this));
      addMissing(this, list, baseHeaders(this.req.method!, pathOf(this.req.url!)));
      addMissing(this, list, statusHeaders(code, status.current()));
      return (super.writeHead as (...parts: unknown[]) => this).call(this, code, ...rest);
    }

    override end(...rest: unknown[]): this {
      send(this, rest);
      return this;
    }
  }
  const send = atEndOfTurn((response: Response, rest: unknown[]) => {
    (ServerResponse.prototype.end as (...parts: unknown[]) => void).apply(response, rest);
  });
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  express.request = Request.prototype as Express['request'];
  express.response = Response.prototype as unknown as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** The id that the request got where it was observed. */
function requestHeaders(response: object): Record<string, string> {
  const { locals } = response as { locals?: { requestId?: string } };
  return locals?.requestId === undefined ? {} : { 'X-Request-Id': locals.requestId };
}

/** @param list names and values in turn, where the headers are not set one by one */
function addMissing(
  response: ServerResponse,
  list: string[] | undefined,
  headers: Readonly<Record<string, string>>,
): void {
  for (const name in headers) {
    if (response.hasHeader(name) || (list && isIn(list, name))) continue;
    if (list) list.push(name, headers[name]!);
    else response.setHeader(name, headers[name]!);
  }
}

function isIn(list: string[], name: string): boolean {
  for (let at = 0; at < list.length; at += 2) if (list[at] === name) return true;
  return false;
}
