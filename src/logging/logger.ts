import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';

/** The service's structured log on standard output; credentials never get into it. */
export const createLogger = (level: string): Logger =>
  pino({
    level,
    base: undefined,
    redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization'],
  });

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
