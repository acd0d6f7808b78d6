import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';

/** Below this a compressed answer takes as many packets as the plain one. */
const MIN_BYTES = 1_024;
/** Node has four threads for files and name look-ups as well. */
const MAX_AT_ONCE = 2;
/** What may wait for one of the threads; beyond it answers go out as they are. */
const MAX_WAITING_BYTES = 16 * 1_048_576;

const ENCODERS = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => deflate(text, { level: 5 }),
};
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** The ways to compress an answer. */
export type Encoding = keyof typeof ENCODERS;
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** Compresses answers in Node's threads, a few at a time. */
export class Compression {
  private running = 0;
  private waitingBytes = 0;
  private readonly waiting: (() => void)[] = [];

  /** How the client wants text of this size; undefined: as it is. The rules are those of RFC 9110, section 12.5.3. */
  encodingFor(request: Request, byteLength: number): Encoding | undefined {
    const encoding = request.acceptsEncodings([...ENCODINGS, 'identity']);
    return encoding === 'identity' || !encoding || this.waitingBytes + byteLength > MAX_WAITING_BYTES
      ? undefined
      : (encoding as Encoding);
  }

  /** Rejects only where there is no memory for it. */
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

/** True for what is worth compressing, however the client wants it. */
export const isWorthCompressing = (byteLength: number): boolean => byteLength >= MIN_BYTES;
