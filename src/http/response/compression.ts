import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import { Semaphore } from '../../semaphore.js';

/** A smaller response takes as many packets compressed as uncompressed. */
const MIN_BYTES = 1_024;
/** Node has only four threads, which files and DNS lookups need too. */
const MAX_AT_ONCE = 2;
/** Responses that may wait for a thread; further ones are sent uncompressed. */
const MAX_WAITING = 32;
const TIMEOUT_MS = 2_000;

const ENCODERS = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => deflate(text, { level: 5 }),
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

  /** The encoding for a response, by the rules of RFC 9110, section 12.5.3; undefined for none. */
  encodingFor(request: Request): Encoding | undefined {
    const encoding = request.acceptsEncodings([...ENCODINGS, 'identity']);
    return encoding === 'identity' || !encoding || this.threads.waiting >= MAX_WAITING
      ? undefined
      : (encoding as Encoding);
  }

  /** Rejects when no thread becomes free in time or memory runs out. */
  compress(text: string, encoding: Encoding): Promise<Buffer> {
    return this.threads.run('', {}, () => ENCODERS[encoding](text));
  }
}

export const isWorthCompressing = (byteLength: number): boolean => byteLength >= MIN_BYTES;
