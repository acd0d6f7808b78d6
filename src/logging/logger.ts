import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import { readableLine } from './readable-line.js';

/** A system call for each line would cost more than the line: they go out together, at the latest after twice this time. */
const FLUSH_MS = 100;
const BUFFER_BYTES = 65_536;
/** Lines are turned into bytes together as well; more than this at once would be garbage of some age, which is dear. */
const TEXT_LENGTH = 8_192;
const STANDARD_OUTPUT = 1;

/**
 * The service's log: one JSON object per line on standard output, readable lines when that is a terminal. Credentials
 * never get into it, whoever logs a request by mistake.
 */
export const createLogger = (level: string, output: DestinationStream): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: timeMember,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
    },
    output,
  );

let latest = { now: NaN, text: '' };

/** What says in a line when it was written: pino's `isoTime`, formatted once for all lines of a millisecond. */
export function timeMember(): string {
  const now = Date.now();
  if (latest.now !== now) latest = { now, text: `,"time":"${new Date(now).toISOString()}"` };
  return latest.text;
}

let output: DestinationStream | undefined;

/** Where the lines of the log go: one place for the process. */
export const standardOutput = (): DestinationStream => (output ??= process.stdout.isTTY ? terminal() : buffered());

const terminal = (): DestinationStream => ({ write: (line) => void process.stdout.write(readableLine(line)) });

function buffered(): DestinationStream {
  let text = '';
  const pass = (): void => {
    // As bytes: given text, the destination would measure all that waits anew each time.
    if (text !== '') bytes.write(Buffer.from(text) as unknown as string);
    text = '';
  };
  // Before the destination, which at the end of the process writes what it has.
  process.once('exit', pass);
  const buffering = { sync: false, minLength: BUFFER_BYTES, maxWrite: 2 * BUFFER_BYTES, periodicFlush: FLUSH_MS };
  const bytes = pino.destination({ fd: STANDARD_OUTPUT, contentMode: 'buffer', ...buffering });
  setInterval(pass, FLUSH_MS).unref();
  return {
    write: (line) => {
      text += line;
      if (text.length >= TEXT_LENGTH) pass();
    },
  };
}

/** Lets Nest log through pino. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: string, context?: string): void {
    this.logger.debug({ context }, message);
  }

  warn(message: string, context?: string): void {
    this.logger.warn({ context }, message);
  }

  error(message: string, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, message);
  }

  debug(message: string, context?: string): void {
    this.logger.debug({ context }, message);
  }
}
