import type { RequestHandler } from 'express';
import type { StatementObserver } from '../../database/observed.sessions.js';

/** Traces of requests and of what they wait for. */
export interface Tracing {
  /** Puts a request, or an entry of a batch, into a span. */
  middleware: RequestHandler;
  /** Puts a statement into a span below that of its request; the text has placeholders, no values. */
  observeStatement: StatementObserver;
  /** Sends what was not sent yet; resolves within a second. */
  shutdown(): Promise<void>;
}
