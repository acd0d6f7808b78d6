import type { Conflict } from '../article.js';

/** What a replica keeps besides its articles. */
export interface State {
  /** Everything up to this timestamp of the collection is here. */
  cursor?: number;
  /** A listing that is not at its end. */
  walk?: Walk;
  /** How many walks through the whole collection began. */
  walks?: number;
  service?: ServiceFacts;
  /** Conflicts that no `sync()` has returned yet. */
  conflicts?: Conflict[];
}

/** Where a listing goes on after an interruption. */
export interface Walk {
  /** The timestamp of the collection when it began: of its first page. */
  cursor: number;
  /** The query of the next page. */
  next: string;
  /** Set when it goes through the whole collection, so that what it does not meet is gone. */
  full?: number;
}

/** What the root mapping says of limits and of what is switched on. */
export interface ServiceFacts {
  batchLimit: number;
  waitSeconds: number;
}
