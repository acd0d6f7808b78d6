import type { RequestHandler } from 'express';
import type { StatementObserver } from '../../database/observed.sessions.js';

/** Traces requests and what they wait for. */
export interface Tracing {
  /** Records a span for a request or batch entry. */
  middleware: RequestHandler;
  /** Records a child span for a statement; its text has placeholders, no values. */
  observeStatement: StatementObserver;
  /** Sends pending spans; resolves within a second. */
  shutdown(): Promise<void>;
}
