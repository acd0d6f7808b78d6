/**
 * As much of Node's `Buffer` as `csv-parse` uses to read a text. What its build for browsers brings along knows all encodings, and is
 * larger than the parser.
 */
class Bytes extends Uint8Array {
  /** 0 where both are the same. */
  compare(other: Uint8Array, from = 0, to = other.length): number {
    return Number(to - from !== this.length || this.some((byte, at) => byte !== other[from + at]));
  }

  /** Copies what has room. */
  copy(target: Uint8Array, at = 0, from = 0, to = this.length): void {
    target.set(this.subarray(from, Math.min(to, from + target.length - at)), at);
  }

  override toString(_encoding?: string, from = 0, to = this.length): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.subarray(from, to));
  }
}

const statics = {
  from: (content: string | ArrayLike<number>) =>
    new Bytes(typeof content === 'string' ? new TextEncoder().encode(content) : content),
  allocUnsafe: (size: number) => new Bytes(size),
  isBuffer: (value: unknown) => value instanceof Bytes,
  compare: (one: Bytes, other: Bytes) => one.compare(other),
};

Object.assign(globalThis, { Buffer: Object.assign(Bytes, statics) });

export {};
