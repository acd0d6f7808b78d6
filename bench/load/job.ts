import type { User } from '../data.js';
import type { JobFacts } from './operations.js';

/** One measurement by the client process. */
export interface Job extends JobFacts {
  port: number;
  operation: string;
  users: User[];
  connections: number;
  seconds: number;
  /** The maximum number of requests; default: as many as the time allows. */
  requests?: number;
  /** Requests per second; default: each one as soon as the previous response has arrived. */
  ratePerSecond?: number;
}

/**
 * The result of a job. Latencies in milliseconds, from when a request was due; `sent`: from when it was sent, which is
 * later if its connection was still waiting for the previous response.
 */
export interface JobResult {
  requests: number;
  /** Responses with a status other than the operation's, not counting refusals. */
  errors: number;
  /** 503: the server was full. */
  refused: number;
  perSecond: number;
  p50: number;
  p99: number;
  sent: { p50: number; p99: number };
  mean: number;
  /** The first unexpected response. */
  firstError?: string;
}

/** A quantile of sorted values. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
