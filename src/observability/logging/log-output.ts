import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { DestinationStream } from 'pino';
import { readableLine } from './readable-line.js';

/** A system call for each line would cost more than the line: they go out together, at the latest after this time. */
const FLUSH_MS = 100;
/** Lines are turned into bytes together as well; more than this at once would be garbage of some age, which is expensive. */
const TEXT_LENGTH = 8_192;
/** What may wait for a reader that is stuck, or for a disk. */
const MAX_WAITING_BYTES = 1_048_576;
const STANDARD_OUTPUT = 1;

/** Where the lines of the log go. */
export interface LogOutput extends DestinationStream {
  /** Resolves when everything is written, and at the latest after `limitMs`. */
  flush(limitMs: number): Promise<void>;
}

/** Writes bytes somewhere, all or none of them; calls back when it is done, also when it could not. */
interface Sink {
  write(bytes: Buffer, done: () => void): void;
}

let output: LogOutput | undefined;

/** The one log output of the process: standard output, readable lines when that is a terminal. */
export const standardOutput = (): LogOutput => (output ??= process.stdout.isTTY ? terminal() : buffered());

const terminal = (): LogOutput => ({
  write: (line) => void process.stdout.write(readableLine(line)),
  flush: () => Promise.resolve(),
});

function buffered(): LogOutput {
  const buffer = new LogBuffer(sinkOf(STANDARD_OUTPUT));
  setInterval(() => buffer.pass(), FLUSH_MS).unref();
  process.once('exit', () => buffer.passSync(STANDARD_OUTPUT));
  return buffer;
}

/** A pipe may have a reader that is stuck: libuv then waits for it, and no thread does. A file is written by a thread. */
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
 * Lines on their way out. A destination that takes none costs the lines that no longer fit, never memory and never a request;
 * once it takes lines again, one of them says how many were lost.
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
    if (this.text.length >= TEXT_LENGTH) this.pass();
  }

  /** Hands over what there is, unless the sink is still busy with what it had before. */
  pass(): void {
    if (this.isWriting || this.text === '') return;
    this.isWriting = true;
    this.sink.write(Buffer.from(this.takeText()), () => {
      this.isWriting = false;
      this.onWritten?.();
      if (this.text.length >= TEXT_LENGTH) this.pass();
    });
  }

  /** At the end of the process: one attempt, where it disturbs nothing that is under way. */
  passSync(fd: number): void {
    if (this.isWriting) return;
    try {
      for (let rest = Buffer.from(this.takeText()); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
    } catch {
      // The log ends here: nobody can be told.
    }
  }

  flush(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      const goOn = (): void => {
        this.pass();
        if (this.isWriting) return;
        clearTimeout(limit);
        resolve();
      };
      this.onWritten = goOn;
      goOn();
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
