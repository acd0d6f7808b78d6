import { CutExcerpts1760000000010 } from './1760000000010-cut-excerpts.js';
import * as tables from './1760000000000-tables.js';

/** All migrations: TypeORM runs them in the order of their numbers, and stores their names. A released one never changes. */
export const MIGRATIONS = [...Object.values(tables), CutExcerpts1760000000010];
