import * as tables from './1760000000000-create-tables.js';
import { CutExcerpts1760000000010 } from './1760000000010-cut-excerpts.js';
import { AddRecentWrites1760000000011 } from './1760000000011-add-recent-writes.js';
import { AddReadOnlyTokens1760000000012 } from './1760000000012-add-read-only-tokens.js';
import { CreateDeprovisioned1760000000013 } from './1760000000013-create-deprovisioned.js';

/** All migrations: TypeORM runs them in the order of their numbers, and stores their names. A released one never changes. */
export const MIGRATIONS = [
  ...Object.values(tables),
  CutExcerpts1760000000010,
  AddRecentWrites1760000000011,
  AddReadOnlyTokens1760000000012,
  CreateDeprovisioned1760000000013,
];
