import type { Parameter } from './session.js';

/** A query that finds a row only if a transaction was committed, for when the reply to its COMMIT is lost. */
export interface Witness {
  sql: string;
  parameters: Parameter[];
}

/** The outcome of a transaction: its result, and whether its changes are kept. */
export interface Outcome<T> {
  result: T;
  isKept: boolean;
  witness?: Witness;
}

/**
 * Ends a transaction with COMMIT. With a witness, a transaction whose COMMIT took place but got no reply is not
 * repeated; without one, running it twice must be harmless.
 */
export const committed = <T>(result: T, witness?: Witness): Outcome<T> => ({ result, isKept: true, witness });

/** Ends a successful transaction with ROLLBACK: there is nothing to keep. */
export const discarded = <T>(result: T): Outcome<T> => ({ result, isKept: false });
