import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Messages } from '../http/messages.js';
import type { BatchEntry } from '../protocol/batch-request.js';

/** Headers by name, the values as they would go over the wire. */
export type Headers = Record<string, string | string[]>;

/** What an entry was answered; `body` is empty where there is none. */
export interface EntryAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * The request of an entry, as the HTTP server would have made it of the same bytes. It shares the socket of its batch, which says
 * where it comes from, and is not read from it: its body is there already.
 */
export function entryRequest(
  { IncomingMessage }: Messages,
  batch: IncomingMessage,
  { method, url, body }: BatchEntry,
  headers: Headers,
): IncomingMessage {
  const { httpVersion, httpVersionMajor, httpVersionMinor } = batch;
  const facts = { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor, complete: true, body };
  return Object.assign(new IncomingMessage(batch.socket), facts);
}

/** A response that goes nowhere: `onEnd` gets what was written to it. */
export function entryResponse(
  { ServerResponse }: Messages,
  request: IncomingMessage,
  onEnd: (answer: EntryAnswer) => void,
): ServerResponse {
  const response = new ServerResponse(request);
  let text = '';
  const write = (chunk: string | Buffer): boolean => {
    text += chunk.toString();
    return true;
  };
  // Headers that are set can be asked for afterwards, those of a list can not.
  const writeHead = (status: number, list: string[] = []): ServerResponse => {
    for (let at = 0; at < list.length; at += 2) response.setHeader(list[at]!, list[at + 1]!);
    return ServerResponse.prototype.writeHead.call(response, status);
  };
  const end = (chunk?: string | Buffer): ServerResponse => {
    if (response.finished) return response;
    if (chunk !== undefined) write(chunk);
    if (!response.headersSent) response.writeHead(response.statusCode);
    response.finished = true;
    response.emit('close');
    onEnd({ status: response.statusCode, headers: headersOf(response), body: bodyOf(response, text) });
    return response;
  };
  return Object.assign(response, { write, writeHead, end });
}

function headersOf(response: ServerResponse): Headers {
  const headers: Headers = {};
  for (const name of rawHeaderNames(response)) headers[name] = wireValue(response.getHeader(name));
  return headers;
}

/** The names with the spelling they were set with; missing from the types of Node. */
const rawHeaderNames = (response: ServerResponse): string[] =>
  (response as ServerResponse & { getRawHeaderNames(): string[] }).getRawHeaderNames();

const wireValue = (value: OutgoingHttpHeaders[string]): string | string[] =>
  Array.isArray(value) ? value : String(value);

function bodyOf(response: ServerResponse, text: string): string {
  const isJson = String(response.getHeader('Content-Type')).startsWith('application/json');
  return isJson && response.req.method !== 'HEAD' ? text : '';
}
