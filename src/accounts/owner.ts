import type { Tally } from '../database/session.js';
import type { SharedChanges } from './shared-changes.js';

/** Whose collection a request concerns, and how many statements it has taken so far. */
export interface Owner extends Tally {
  account: Buffer;
  key: string;
  /** For an entry of a batch, the transaction that it is a part of; `session` is that transaction's. */
  readonly shared?: SharedChanges;
}
