import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { BatchEntry } from '../protocol/batch-request.js';

/** Headers by name, with values as they would be sent. */
export type Headers = Record<string, string | string[]>;

/** The response to an entry; `body` is empty if there is none. */
export interface EntryResponse {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * The request of an entry, as the HTTP server would have created it. It shares the socket of its batch, which tells the
 * client's address, but is not read from it: its body is already there.
 */
export function entryRequest(
  batch: IncomingMessage,
  { method, url, body }: BatchEntry,
  headers: Headers,
): IncomingMessage {
  const { httpVersion, httpVersionMajor, httpVersionMinor } = batch;
  const facts = { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor, complete: true, body };
  const Request = classOf<typeof IncomingMessage>(batch);
  return Object.assign(new Request(batch.socket), facts);
}

/** An entry's messages have the same classes as those of its batch. */
const classOf = <Class>(message: object): Class => message.constructor as Class;

/** A response without a connection: `onEnd` gets what was written to it. */
export function entryResponse(
  request: IncomingMessage,
  ofBatch: ServerResponse,
  onEnd: (response: EntryResponse) => void,
): ServerResponse {
  const Response = classOf<typeof ServerResponse>(ofBatch);
  const response: ServerResponse = new Response(request);
  let text = '';
  const write = (chunk: string | Buffer): boolean => {
    text += chunk.toString();
    return true;
  };
  // `getHeader` does not know headers that are only given to `writeHead`.
  const writeHead = (status: number, head: string[] = []): ServerResponse => {
    for (let at = 0; at < head.length; at += 2) response.setHeader(head[at]!, head[at + 1]!);
    return Response.prototype.writeHead.call(response, status) as ServerResponse;
  };
  let isEnded = false;
  const end = (chunk?: string | Buffer): ServerResponse => {
    if (isEnded) return response;
    if (chunk !== undefined) write(chunk);
    if (!response.headersSent) response.writeHead(response.statusCode);
    isEnded = true;
    onEnd({ status: response.statusCode, headers: headersOf(response), body: bodyOf(response, text) });
    return response;
  };
  Object.defineProperty(response, 'writableEnded', { get: () => isEnded });
  return Object.assign(response, { writeHead, write, end });
}

function headersOf(response: ServerResponse): Headers {
  const headers: Headers = {};
  for (const name of rawHeaderNames(response)) headers[name] = wireValue(response.getHeader(name));
  return headers;
}

/** The names as originally spelt; missing from Node's types. */
const rawHeaderNames = (response: ServerResponse): string[] =>
  (response as ServerResponse & { getRawHeaderNames(): string[] }).getRawHeaderNames();

const wireValue = (value: OutgoingHttpHeaders[string]): string | string[] =>
  Array.isArray(value) ? value : String(value);

function bodyOf(response: ServerResponse, text: string): string {
  const isJson = String(response.getHeader('Content-Type')).startsWith('application/json');
  return isJson && response.req.method !== 'HEAD' ? text : '';
}
