import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * The service's log: one JSON object per line on standard output, readable lines on a terminal. Credentials are
 * redacted even if a request is logged by mistake.
 */
export const createLogger = (level: string, output: DestinationStream): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
    },
    output,
  );

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
