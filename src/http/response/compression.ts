import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import { Semaphore } from '../../semaphore.js';

/** A smaller response takes as many packets compressed as uncompressed. */
const MIN_BYTES = 1_024;
/** Pictures are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;
/** Node has only four threads, which files and DNS lookups need too. */
const MAX_AT_ONCE = 2;
/** Responses that may wait for a thread; further ones are sent uncompressed. */
const MAX_WAITING = 32;
const TIMEOUT_MS = 2_000;

const ENCODERS = {
  br: (content: string | Buffer) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (content: string | Buffer) => deflate(content, { level: 5 }),
};
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

export type Encoding = keyof typeof ENCODERS;
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** Compresses responses in Node's thread pool, a few at a time. */
export class Compression {
  private readonly threads = new Semaphore({
    slots: MAX_AT_ONCE,
    timeoutMs: TIMEOUT_MS,
    refusal: 'Too many responses are being compressed',
  });
  /** Files are kept in memory, and each is compressed only once, as anybody can ask for it. */
  private readonly files: Record<Encoding, WeakMap<Buffer, Promise<Buffer>>> = {
    br: new WeakMap(),
    gzip: new WeakMap(),
  };

  /** The encoding for a response, by the rules of RFC 9110, section 12.5.3; undefined for none. */
  encodingFor(request: Request): Encoding | undefined {
    if (this.threads.waiting >= MAX_WAITING) return undefined;
    const accepted = request.acceptsEncodings([...ENCODINGS, 'identity']);
    return ENCODINGS.find((encoding) => encoding === accepted);
  }

  /** Rejects when no thread becomes free in time or memory runs out. */
  compress(content: string | Buffer, encoding: Encoding): Promise<Buffer> {
    const files = this.files[encoding];
    const known = typeof content === 'string' ? undefined : files.get(content);
    if (known) return known;
    const compressed = this.threads.run('', {}, () => ENCODERS[encoding](content));
    if (typeof content !== 'string') {
      files.set(content, compressed);
      compressed.catch(() => files.delete(content));
    }
    return compressed;
  }
}

export const isWorthCompressing = (byteLength: number, contentType: string): boolean =>
  byteLength >= MIN_BYTES && COMPRESSIBLE.test(contentType);
