import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { baseHeaders } from '../../protocol/service-headers.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { Semaphore } from '../../semaphore.js';
import { pathOf } from '../request/request-url.js';
import { atEndOfTurn } from '../server/end-of-turn.js';

const UNWANTED_BODY_MS = 1_000;
/** The headers of many more requests whose bodies never come would fill the memory. */
const MOST_UNWANTED_BODIES = 250;
let unwantedBodies = 0;
/** A smaller response takes as many packets compressed as uncompressed. */
const MIN_COMPRESSED_BYTES = 1_024;
/** Pictures are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;
export const CONTENT_TYPE = 'application/json; charset=utf-8';

type Content = string | Buffer;

/**
 * A response whose status or headers a handler chooses; anything else that a handler returns is sent as JSON with 200.
 * A `body` of undefined means no body (304). A string is JSON already, and a Buffer has its `Content-Type` among the headers.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The timestamp of the record or collection in the response. */
    readonly lastModified?: Timestamp,
  ) {}

  with(headers: Readonly<Record<string, string>>): Reply {
    return new Reply(this.status, this.body, { ...this.headers, ...headers }, this.lastModified);
  }
}

/** What a handler returns instead of a promise that takes long: Nest keeps 8 KiB while its interceptors await one. */
export class LateReply {
  constructor(readonly reply: () => Promise<Reply | LateReply>) {}
}

/**
 * Writes a response with the headers of every response, as JSON unless it is bytes, compressed if that is worth it. The
 * head is written once that is done, so that nobody can respond twice; the response is sent at the end of the turn.
 */
export function writeReply(response: Response, reply: Reply, mayCompress: boolean): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body, headers } = reply;
  const { req: request } = response;
  const head = headOf(request, headers);
  if (body === undefined) {
    // Otherwise Node would send an empty redirection in chunks.
    if (status === 302) head.push('Content-Length', '0');
    return send(response, status, head);
  }
  const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  if (!Buffer.isBuffer(body)) head.push('Content-Type', CONTENT_TYPE);
  const depends = mayCompress && status < 400 && isWorthCompressing(content, headers['Content-Type']);
  if (depends) head.push('Vary', 'Accept-Encoding');
  const encoding = depends ? encodingFor(request) : undefined;
  if (!encoding) return send(response, status, head, content);
  const encoded = [...head, 'Content-Encoding', encoding];
  // Finding the length would take the work that HEAD is meant to save.
  if (request.method === 'HEAD') return send(response, status, encoded);
  void compress(content, encoding)
    .catch(() => undefined)
    .then((bytes) => (bytes ? send(response, status, encoded, bytes) : send(response, status, head, content)))
    .catch(() => response.destroy());
}

/** The headers of a reply, names and values alternately: Node writes such a list faster than headers that are set singly. */
function headOf({ context, method, url }: Request, headers: Reply['headers']): string[] {
  const head: string[] = [];
  const base = baseHeaders(method, pathOf(url));
  for (const name in base) if (headers[name] === undefined) head.push(name, base[name]!);
  head.push('X-Request-Id', context.id);
  for (const name in headers) head.push(name, headers[name]!);
  return head;
}

function send(response: Response, status: number, head: string[], content?: Content): void {
  const { complete, destroyed, context } = response.req;
  if (content !== undefined) head.push('Content-Length', String(Buffer.byteLength(content)));
  response.writeHead(status, head);
  if (!complete && !destroyed) endAfterBody(response, content);
  else if (context.isBatchEntry) response.end(content);
  else end(response, content);
  context.responded(content?.length);
}

const end = atEndOfTurn((response: Response, content?: Content) => response.end(content));

/** Ends the response after the request's body, cut off after a second: any sooner, a reset could hide the response. */
function endAfterBody(response: Response, content?: Content): void {
  const { req: request } = response;
  if (content === undefined || request.method === 'HEAD') response.flushHeaders();
  else response.write(content);
  const end = (): void => {
    clearTimeout(limit);
    response.end();
    if (!request.complete) request.socket.destroySoon();
  };
  const limit = setTimeout(end, unwantedBodies++ < MOST_UNWANTED_BODIES ? UNWANTED_BODY_MS : 0);
  request.context.whenOver(() => unwantedBodies--);
  request.once('end', end).once('close', end).resume();
}

const isWorthCompressing = (content: Content, contentType = CONTENT_TYPE): boolean =>
  // Of a text, bytes are counted only where characters do not tell.
  (content.length >= MIN_COMPRESSED_BYTES || Buffer.byteLength(content) >= MIN_COMPRESSED_BYTES) &&
  COMPRESSIBLE.test(contentType);

/** By the rules of RFC 9110, section 12.5.3. A batch is compressed as a whole, not its entries. */
function encodingFor(request: Request): keyof typeof ENCODERS | undefined {
  if (request.context.isBatchEntry) return undefined;
  const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return accepted === 'br' || accepted === 'gzip' ? accepted : undefined;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const ENCODERS = {
  br: (content: Content) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (content: Content) => deflate(content, { level: 5 }),
};

const threads = new Semaphore({
  // Node has only four, which files and DNS lookups need too.
  slots: 2,
  waitingPerKey: 32,
  timeoutMs: 2_000,
  refusal: 'Too many responses are being compressed',
});
/** Files are kept in memory, and each is compressed only once, as anybody can ask for it. */
const compressedFiles = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };

/** Rejects when too many responses wait for Node's thread pool, no thread becomes free in time, or memory runs out. */
function compress(content: Content, encoding: keyof typeof ENCODERS): Promise<Buffer> {
  const compressing = () => threads.run('', {}, () => ENCODERS[encoding](content));
  if (typeof content === 'string') return compressing();
  const files = compressedFiles[encoding];
  const known = files.get(content);
  if (known) return known;
  const compressed = compressing();
  files.set(content, compressed);
  compressed.catch(() => files.delete(content));
  return compressed;
}
