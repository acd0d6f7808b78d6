import type { User } from '../data.js';
import type { JobFacts } from './operations.js';

/** One measurement that the client process is asked for. */
export interface Job extends JobFacts {
  port: number;
  operation: string;
  users: User[];
  connections: number;
  seconds: number;
  /** Requests that may be sent at most; default: as many as the time allows. */
  requests?: number;
  /** Requests to be sent in a second; default: the next one as soon as the answer to the last is there. */
  ratePerSecond?: number;
}

/**
 * What came of a job. Latencies in milliseconds, from the moment at which a request was due; `sent`: from the moment at which
 * it was sent, which is later when its connection still waited for the answer before.
 */
export interface JobResult {
  requests: number;
  /** Answers with another status than the operation's, but for refusals. */
  errors: number;
  /** 503: the server was full. */
  refused: number;
  perSecond: number;
  p50: number;
  p99: number;
  sent: { p50: number; p99: number };
  mean: number;
  /** The first unexpected answer. */
  firstError?: string;
}

/** The value below which the given share of sorted values lies. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
