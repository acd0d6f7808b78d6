import type { Parameter } from './session.js';

/** A query that finds a row only if a transaction was committed: what its COMMIT cannot say when its reply is lost. */
export interface Witness {
  sql: string;
  parameters: Parameter[];
}

/** What a transaction leaves: its result, and whether its changes are kept. */
export interface Outcome<T> {
  result: T;
  isKept: boolean;
  witness?: Witness;
}

/**
 * Ends a transaction with COMMIT. With a witness it is not run again when its COMMIT got no reply but took place; without one
 * it must be harmless to run it twice.
 */
export const committed = <T>(result: T, witness?: Witness): Outcome<T> => ({ result, isKept: true, witness });

/** Ends a transaction with ROLLBACK, though nothing failed: there is nothing to keep. */
export const discarded = <T>(result: T): Outcome<T> => ({ result, isKept: false });
