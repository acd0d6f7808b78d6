import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import sonicBoom, { type SonicBoom } from 'sonic-boom';

/** For how long, and up to which length, lines for a pipe are collected. */
const COLLECTED_MS = 10;
const COLLECTED_LENGTH = 8_192;
/** How much may wait for a stuck reader or a full disk; further lines are dropped. */
const MAX_WAITING_BYTES = 1_048_576;

/** Where log lines go. Writing never blocks and never fails. */
interface LogOutput extends DestinationStream {
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
  return stat.isFIFO() || stat.isSocket() ? pipe(fd) : file(fd);
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

/** Pino's own destination. It writes blocks, as single lines take a tenth of a poll, and counts bytes faster than text. */
function file(fd: number): LogOutput {
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
  const write = (line: string) => stream.write(Buffer.from(line) as unknown as string);
  stream.on('drop', countLoss(stream, write));
  return { write: (line) => void write(line), flush: () => inTime((done) => stream.flush(done)) };
}

/**
 * Pino's destination would write a pipe from one of Node's threads, and a process with a thread that waits for a stuck
 * reader cannot exit. A `Socket` waits in the event loop instead. Lines are written together: each system call wakes the reader.
 */
function pipe(fd: number): LogOutput {
  const stream = new Socket({ fd, readable: false, writable: true }).unref();
  const lose = countLoss(stream, (line) => stream.write(line));
  let lines = '';
  const writeLines = (done?: () => void): void => {
    stream.write(lines, done);
    lines = '';
  };
  const timer = setTimeout(writeLines, COLLECTED_MS).unref();
  process.once('exit', () => writeLines());
  return {
    write: (line) => {
      if (stream.writableLength + lines.length > MAX_WAITING_BYTES) return lose();
      if (lines === '') timer.refresh();
      lines += line;
      if (lines.length >= COLLECTED_LENGTH) writeLines();
    },
    flush: () => inTime(writeLines),
  };
}

/** Returns a function that counts a lost line; once there is room again, a line says how many were lost. */
function countLoss(stream: SonicBoom | Socket, write: (line: string) => unknown): () => void {
  let lost = 0;
  // The reader is gone or the disk is full; there is nowhere left to report that.
  stream.on('error', () => undefined);
  stream.on('drain', () => {
    if (lost === 0) return;
    const entry = { level: 'warn', time: new Date().toISOString(), msg: `log lines were lost: ${lost}` };
    lost = 0;
    write(`${JSON.stringify(entry)}\n`);
  });
  return () => void lost++;
}

const inTime = (begin: (done: () => void) => void) => Promise.race([new Promise<void>(begin), sleep(500)]);

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

export const nestLogger = (logger: Logger): LoggerService => ({
  log: (message: string, context?: string) => logger.debug({ context }, message),
  warn: (message: string, context?: string) => logger.warn({ context }, message),
  error: (message: string, stack?: string, context?: string) => logger.error({ context, stack }, message),
});
