import type { Session } from '../database/session.js';
import type { Outcome } from '../database/transaction.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** How a transaction changes the account. */
export interface Change {
  /** The change in the number of live articles. */
  liveDelta: number;
  /** Refuse the transaction if the collection changed after this timestamp. */
  ifUnmodifiedSince?: Timestamp;
}

/** The outcome of a change, and the last timestamp that it gave if it gave more than one. */
export type ChangeOutcome<T> = Outcome<T> & { last?: Timestamp };

/** What a transaction does with its timestamp. */
export type Changing<T> = (transaction: Session, timestamp: Timestamp) => Promise<ChangeOutcome<T>>;

/** The most live articles that a collection may get, and what to do instead of exceeding that. */
export interface Quota<T> {
  maxLive: number;
  /** Yields the result. Runs with the account locked; what it writes is not kept. */
  whenFull: (transaction: Session) => Promise<T>;
}
