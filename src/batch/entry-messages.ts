import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BatchEntry } from '../protocol/batch-request.js';

type Headers = Record<string, string | string[]>;

/** The response to an entry; without a body, `body` is empty. */
export interface EntryResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** The request of an entry. It shares the socket of its batch, for the client's address; its body is already there. */
export function entryRequest(batch: IncomingMessage, { method, url, headers, body }: BatchEntry): IncomingMessage {
  const { httpVersion, httpVersionMajor, httpVersionMinor } = batch;
  const facts = { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor, complete: true, body };
  const Request = classOf<typeof IncomingMessage>(batch);
  return Object.assign(new Request(batch.socket), facts);
}

/** An entry's messages have the same classes as those of its batch. */
const classOf = <Class>(message: object): Class => message.constructor as Class;

type OnEnd = (response: EntryResponse) => void;

interface CapturedResponse extends ServerResponse {
  text: string;
  /** What was given to `writeHead` only: names and values alternately. */
  head: string[];
  onEnd: OnEnd;
  /** Missing from Node's types. */
  getRawHeaderNames(): string[];
}

/** Own methods of the object, as Express replaces its prototype; shared by all, as each would cost some microseconds. */
const CAPTURE = {
  writeHead(this: CapturedResponse, status: number, head: string[] = []) {
    this.head = head;
    return classOf<typeof ServerResponse>(this).prototype.writeHead.call(this, status);
  },
  write(this: CapturedResponse, chunk: string | Buffer) {
    this.text += chunk.toString();
    return true;
  },
  end(this: CapturedResponse, chunk?: string | Buffer) {
    if (this.writableEnded) return this;
    if (chunk !== undefined) this.write(chunk);
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.finished = true;
    const headers = headersOf(this);
    const isJson = String(headers['Content-Type']).startsWith('application/json');
    this.onEnd({ status: this.statusCode, headers, body: isJson && this.req.method !== 'HEAD' ? this.text : '' });
    return this;
  },
};

/** A response without a connection: `onEnd` gets what was written to it. */
export function entryResponse(request: IncomingMessage, ofBatch: ServerResponse, onEnd: OnEnd): ServerResponse {
  const Response = classOf<typeof ServerResponse>(ofBatch);
  return Object.assign(new Response(request), CAPTURE, { text: '', head: [], onEnd });
}

function headersOf(response: CapturedResponse): Headers {
  const headers: Headers = {};
  for (const name of response.getRawHeaderNames()) {
    const value = response.getHeader(name);
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  const { head } = response;
  for (let at = 0; at < head.length; at += 2) headers[head[at]!] = head[at + 1]!;
  return headers;
}
