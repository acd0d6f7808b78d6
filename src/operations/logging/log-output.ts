import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { DestinationStream } from 'pino';
import { readableLine } from './readable-line.js';

/** A system call per line would cost more than the line, so lines are batched for at most this long. */
const FLUSH_MS = 100;
/** Lines are also encoded in batches. Larger ones would live long enough to become expensive garbage. */
const TEXT_LENGTH = 8_192;
/** How much may wait for a stuck reader or a disk. */
const MAX_WAITING_BYTES = 1_048_576;
const STANDARD_OUTPUT = 1;

/** The destination of log lines. */
export interface LogOutput extends DestinationStream {
  /** Resolves when everything is written, or after `limitMs`. */
  flush(limitMs: number): Promise<void>;
}

/** Writes bytes; calls `done` on success and on failure. */
interface Sink {
  write(bytes: Buffer, done: () => void): void;
}

let output: LogOutput | undefined;

/** The process's log output: standard output, with readable lines on a terminal. */
export const standardOutput = (): LogOutput => (output ??= process.stdout.isTTY ? terminal() : buffered());

const terminal = (): LogOutput => ({
  write: (line) => void process.stdout.write(readableLine(line)),
  flush: () => Promise.resolve(),
});

function buffered(): LogOutput {
  const buffer = new LogBuffer(sinkOf(STANDARD_OUTPUT));
  setInterval(() => buffer.writeOut(), FLUSH_MS).unref();
  process.once('exit', () => buffer.writeOutSync(STANDARD_OUTPUT));
  return buffer;
}

/**
 * A pipe's reader may be stuck, so pipes are written asynchronously by libuv without blocking a thread. A file is
 * written by a thread.
 */
function sinkOf(fd: number): Sink {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket() ? pipeSink(fd) : fileSink(fd);
}

function pipeSink(fd: number): Sink {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The reader is gone: from now on every write calls back with an error.
  socket.on('error', () => undefined);
  socket.unref();
  return { write: (bytes, done) => void socket.write(bytes, done) };
}

const fileSink = (fd: number): Sink => ({
  write: function writeRest(bytes, done) {
    write(fd, bytes, (error, written) => {
      if (error || written === bytes.length) done();
      else writeRest(bytes.subarray(written), done);
    });
  },
});

/**
 * Buffers log lines. When the destination is stuck, lines that no longer fit are dropped, so that neither memory nor
 * requests suffer; afterwards a line says how many were lost.
 */
export class LogBuffer implements LogOutput {
  private text = '';
  private isWriting = false;
  private lost = 0;
  private onWritten?: () => void;

  constructor(private readonly sink: Sink) {}

  write(line: string): void {
    if (this.text.length < MAX_WAITING_BYTES) this.text += line;
    else this.lost++;
    if (this.text.length >= TEXT_LENGTH) this.writeOut();
  }

  /** Hands the buffered lines to the sink unless it is still busy. */
  writeOut(): void {
    if (this.isWriting || this.text === '') return;
    this.isWriting = true;
    this.sink.write(Buffer.from(this.takeText()), () => {
      this.isWriting = false;
      this.onWritten?.();
      if (this.text.length >= TEXT_LENGTH) this.writeOut();
    });
  }

  /** At process exit: one attempt, unless a write is in progress. */
  writeOutSync(fd: number): void {
    if (this.isWriting) return;
    try {
      for (let rest = Buffer.from(this.takeText()); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
    } catch {
      // Nothing is left to report the failure to.
    }
  }

  flush(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      const continueFlush = (): void => {
        this.writeOut();
        if (this.isWriting) return;
        clearTimeout(limit);
        resolve();
      };
      this.onWritten = continueFlush;
      continueFlush();
    });
  }

  private takeText(): string {
    const { text, lost } = this;
    this.text = '';
    this.lost = 0;
    if (lost === 0) return text;
    const entry = { level: 'warn', time: new Date().toISOString(), msg: `${lost} line(s) of the log were lost` };
    return `${text}${JSON.stringify(entry)}\n`;
  }
}
