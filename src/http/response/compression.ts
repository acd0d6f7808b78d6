import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';

/** A smaller response takes as many packets compressed as uncompressed. */
const MIN_BYTES = 1_024;
/** Node has only four threads, which files and DNS lookups need too. */
const MAX_AT_ONCE = 2;
/** Bytes that may wait for a thread; beyond that, responses are sent uncompressed. */
const MAX_WAITING_BYTES = 16 * 1_048_576;

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
  private running = 0;
  private waitingBytes = 0;
  private readonly waiting: (() => void)[] = [];

  /** The encoding for a text of this size, by the rules of RFC 9110, section 12.5.3; undefined for none. */
  encodingFor(request: Request, byteLength: number): Encoding | undefined {
    const encoding = request.acceptsEncodings([...ENCODINGS, 'identity']);
    return encoding === 'identity' || !encoding || this.waitingBytes + byteLength > MAX_WAITING_BYTES
      ? undefined
      : (encoding as Encoding);
  }

  /** Rejects only when memory runs out. */
  async compress(text: string, encoding: Encoding): Promise<Buffer> {
    await this.turn(text.length);
    this.running++;
    try {
      return await ENCODERS[encoding](text);
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  private async turn(length: number): Promise<void> {
    if (this.running < MAX_AT_ONCE) return;
    this.waitingBytes += length;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.waitingBytes -= length;
  }
}

export const isWorthCompressing = (byteLength: number): boolean => byteLength >= MIN_BYTES;
