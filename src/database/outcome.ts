import type { Session } from './session.js';

/**
 * Tells whether a transaction took place whose COMMIT got no reply; undefined when nothing can tell. Runs in the
 * transaction that repeats it, and has to lock a row that both write: the lost one may be ending only now.
 */
export type Witness = (transaction: Session) => Promise<boolean | undefined>;

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
