import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import sonicBoom, { type SonicBoom } from 'sonic-boom';

/** How long and up to which length lines are collected. */
const COLLECTED_MS = 10;
const COLLECTED_LENGTH = 8_192;
/** How much may wait for a stuck reader or a full disk; further lines are dropped. */
const MAX_WAITING_BYTES = 1_048_576;

/** Where log lines go. Writing never blocks and never fails. */
export interface LogOutput extends DestinationStream {
  /** Resolves when everything is written or, if the reader is stuck, after half a second. */
  flush(): Promise<void>;
}

let output: Promise<LogOutput> | undefined;

/** The process's log output: standard output, with readable lines on a terminal. */
export const standardOutput = (): Promise<LogOutput> => (output ??= open());

async function open(): Promise<LogOutput> {
  const { fd, isTTY } = process.stdout;
  if (isTTY) return terminal();
  const stat = fstatSync(fd);
  return collecting(stat.isFIFO() || stat.isSocket() ? pipe(fd) : file(fd));
}

/** Lines for people where `pino-pretty`, a development dependency, is installed. */
async function terminal(): Promise<LogOutput> {
  const pretty = await import('pino-pretty').catch(() => undefined);
  const show = pretty?.prettyFactory({
    translateTime: 'HH:MM:ss.l',
    ignore: 'method,route,status',
    messageFormat: (log, messageKey) => {
      const { method, route, status = 'aborted' } = log as Record<string, string | number | undefined>;
      return route === undefined ? String(log[messageKey]) : `${method} ${route} ${status}`;
    },
  });
  return { write: (line) => void process.stdout.write(show?.(line) ?? line), flush: () => Promise.resolve() };
}

/** Where collected lines go. */
interface Sink {
  write(lines: string): void;
  /** Calls `done` when everything is written. */
  flush(done: () => void): void;
}

/** Hands lines on in blocks: one by one they take a tenth of the time of a poll, and on a pipe each wakes the reader. */
function collecting(sink: Sink): LogOutput {
  let lines = '';
  const handOn = (): void => {
    if (lines !== '') sink.write(lines);
    lines = '';
  };
  process.once('exit', handOn);
  return {
    write: (line) => {
      if (lines === '') setTimeout(handOn, COLLECTED_MS).unref();
      lines += line;
      if (lines.length >= COLLECTED_LENGTH) handOn();
    },
    flush: () => {
      handOn();
      return Promise.race([new Promise<void>((done) => sink.flush(done)), sleep(500)]);
    },
  };
}

/** Pino's own destination. It counts bytes faster than text. */
function file(fd: number): Sink {
  const stream = new sonicBoom.SonicBoom({
    fd,
    sync: false,
    contentMode: 'buffer',
    minLength: 65_536,
    maxWrite: 131_072,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: 100,
  });
  // Buffers are missing from its types.
  const write = (lines: string) => void stream.write(Buffer.from(lines) as unknown as string);
  stream.on('drop', countLoss(stream, write));
  return { write, flush: (done) => stream.flush(done) };
}

/**
 * Pino's destination would write a pipe from one of Node's threads, and a process with a thread that waits for a stuck
 * reader cannot exit. A `Socket` waits in the event loop instead.
 */
function pipe(fd: number): Sink {
  const stream = new Socket({ fd, readable: false, writable: true }).unref();
  const write = (lines: string) => void stream.write(lines);
  const lose = countLoss(stream, write);
  return {
    write: (lines) => (stream.writableLength > MAX_WAITING_BYTES ? lose(lines) : write(lines)),
    flush: (done) => stream.write('', done),
  };
}

/** Returns a function that counts lost lines; once there is room again, a line says how many were lost. */
function countLoss(stream: SonicBoom | Socket, write: (line: string) => void): (lines: string | Buffer) => void {
  let lost = 0;
  // The reader is gone or the disk is full; there is nowhere left to report that.
  stream.on('error', () => undefined);
  stream.on('drain', () => {
    if (lost === 0) return;
    const entry = { level: 'warn', time: new Date().toISOString(), msg: `log lines were lost: ${lost}` };
    lost = 0;
    write(`${JSON.stringify(entry)}\n`);
  });
  return (lines) => void (lost += lines.toString().split('\n').length - 1);
}

let millisecond = 0;
let textOfMillisecond = '';

/** What pino's `isoTime` returns, `,"time":"…"`, made once per millisecond: a fiftieth of the time of a poll. */
export function timestamp(): string {
  const now = Date.now();
  if (now !== millisecond) textOfMillisecond = pino.stdTimeFunctions.isoTime();
  millisecond = now;
  return textOfMillisecond;
}

/** Credentials, should a request be logged by mistake. */
const SECRET = ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'];

/** Writes one JSON object per line. */
export function createLogger(level: string, output: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: undefined, timestamp, formatters, redact: SECRET }, output);
}

/** Lets Nest log through pino. */
export const nestLogger = (logger: Logger): LoggerService => ({
  log: (message: string, context?: string) => logger.debug({ context }, message),
  warn: (message: string, context?: string) => logger.warn({ context }, message),
  error: (message: string, stack?: string, context?: string) => logger.error({ context, stack }, message),
});
