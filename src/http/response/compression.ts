import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import { Semaphore } from '../../semaphore.js';

/** A smaller response takes as many packets compressed as uncompressed. */
const MIN_BYTES = 1_024;
/** Pictures are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const ENCODERS = {
  br: (content: string | Buffer) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (content: string | Buffer) => deflate(content, { level: 5 }),
};

type Encoding = keyof typeof ENCODERS;
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** Compresses responses in Node's thread pool, a few at a time. */
export class Compression {
  private readonly threads = new Semaphore({
    // Node has only four, which files and DNS lookups need too.
    slots: 2,
    waitingPerKey: 32,
    timeoutMs: 2_000,
    refusal: 'Too many responses are being compressed',
  });
  /** Files are kept in memory, and each is compressed only once, as anybody can ask for it. */
  private readonly files = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };

  /** Rejects when too many responses wait, no thread becomes free in time, or memory runs out. */
  compress(content: string | Buffer, encoding: Encoding): Promise<Buffer> {
    const compress = () => this.threads.run('', {}, () => ENCODERS[encoding](content));
    if (typeof content === 'string') return compress();
    const files = this.files[encoding];
    const known = files.get(content);
    if (known) return known;
    const compressed = compress();
    files.set(content, compressed);
    compressed.catch(() => files.delete(content));
    return compressed;
  }
}

export const isWorthCompressing = (content: string | Buffer, contentType = 'application/json'): boolean =>
  // Of a text, bytes are counted only where characters do not tell.
  (content.length >= MIN_BYTES || Buffer.byteLength(content) >= MIN_BYTES) && COMPRESSIBLE.test(contentType);

/** By the rules of RFC 9110, section 12.5.3; undefined for none. A batch is compressed as a whole, not its entries. */
export function encodingFor(request: Request): Encoding | undefined {
  if (request.context.isBatchEntry) return undefined;
  const accepted = request.acceptsEncodings([...ENCODINGS, 'identity']);
  return ENCODINGS.find((encoding) => encoding === accepted);
}
