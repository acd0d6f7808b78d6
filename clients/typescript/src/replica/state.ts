import type { Conflict } from '../article.js';

/** What a replica stores besides its articles. */
export interface State {
  /** All changes up to this timestamp of the collection have been fetched. */
  cursor?: number;
  /** A listing that is not complete. */
  walk?: Walk | undefined;
  /** How many full listings have been started. */
  walks?: number | undefined;
  service?: ServiceFacts;
  /** The `order` of the last removal that was not undone. */
  removals?: number;
  /** Increases with every change by a sync. */
  revision?: number;
  /** Conflicts that no `sync()` has returned yet. */
  conflicts?: Conflict[];
}

/** Where to resume an interrupted listing. */
export interface Walk {
  /** The collection's timestamp on its first page. */
  cursor: number;
  /** The query of the next page. */
  next?: string | undefined;
  /** The number of a full listing, after which unseen entries are deleted. */
  full?: number | undefined;
}

/** Limits and capabilities from the root mapping. */
export interface ServiceFacts {
  batchLimit: number;
  waitSeconds: number;
}
