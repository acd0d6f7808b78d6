import { PURGED_UNTIL } from '../../accounts/accounts.store.js';
import { LIVE_INDEX } from '../../database/entities/article.entity.js';
import type { Dialect } from '../../database/session.js';
import { type CollectionQuery, type Filter, includesTombstones } from '../../protocol/collection-query.js';
import type { PageStart } from '../../protocol/page-token.js';
import { ITEM_COLUMNS } from './article.row.js';
import { after, allOf, type Condition, listed, orderBy, positionColumns } from './conditions.js';

/** What to list: a parsed query, the size of the page and where it starts. */
export interface PageRequest extends Pick<CollectionQuery, 'filters' | 'sort'> {
  size: number;
  /** The size of the items in JSON at which the page ends; a page has at least one item. */
  maxBytes: number;
  /** Absent for the first page, which counts the total. */
  start?: PageStart;
}

/**
 * The statement that reads up to `limit` rows of a page; the rows of the first page also carry facts about the whole
 * listing. Raw SQL, because no query builder can force an index, and every combination of filters needs its own
 * statement.
 */
export function pageStatement(
  { indexHint: hint }: Dialect,
  account: Buffer,
  request: PageRequest & { isFirst: boolean },
  limit: number,
  columns = ITEM_COLUMNS,
): Condition {
  const { filters, sort, start, isFirst } = request;
  const scope = listed(account, filters);
  const where = start ? allOf([scope, after(sort, start.position)]) : scope;
  const facts: Condition[] = [];
  if (filters.length > 0 && !start) facts.push(totalOf(account, filters, hint));
  if (includesTombstones(filters) && isFirst)
    facts.push({ sql: `${PURGED_UNTIL} AS purged_until`, parameters: [account] });
  const selected = [columns, positionColumns(sort), ...facts.map(({ sql }) => sql)];
  return {
    sql: `SELECT ${selected.join(', ')} FROM articles${indexFor(request, hint)} WHERE ${where.sql} ORDER BY ${orderBy(sort)} LIMIT ${limit}`,
    parameters: [...facts.flatMap(({ parameters }) => parameters), ...where.parameters],
  };
}

const IN_LIVE_INDEX: ReadonlySet<string> = new Set(['deleted', ...LIVE_INDEX]);

/** Order of time comes from an index. Any other order has to be sorted, and the planner knows best how. */
function indexFor({ filters, sort }: PageRequest, hint: Dialect['indexHint']): string {
  if (sort[0]?.field !== 'last_modified') return '';
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  return hint(includesTombstones(filters) ? 'uq_articles_last_modified' : 'ix_articles_live');
}

/** How many items the whole listing has. */
function totalOf(account: Buffer, filters: readonly Filter[], hint: Dialect['indexHint']): Condition {
  const { sql, parameters } = listed(account, filters);
  return { sql: `(SELECT COUNT(*) FROM articles${countIndex(filters, hint)} WHERE ${sql}) AS total`, parameters };
}

/** Counts by flags are answered from an index alone. */
function countIndex(filters: readonly Filter[], hint: Dialect['indexHint']): string {
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  const byTime = filters.every(({ field }) => field === 'last_modified');
  if (byTime) return hint('uq_articles_last_modified');
  return includesTombstones(filters) ? '' : hint('ix_articles_live');
}
