import { PURGED_UNTIL } from '../../accounts/accounts.store.js';
import { LIVE_INDEX } from '../../database/entities/article.entity.js';
import { type CollectionQuery, type Filter, includesTombstones } from '../../protocol/collection-query.js';
import type { PageStart } from '../../protocol/page-token.js';
import { BYTES, SHORT_COLUMNS } from './article.row.js';
import { after, allOf, type Condition, listed, orderBy, positionColumns } from './conditions.js';

/** What to list: a parsed query, the size of the page and where it starts. */
export interface PageRequest extends Pick<CollectionQuery, 'filters' | 'sort'> {
  size: number;
  /** The size of the items in JSON at which the page ends; a page has at least one item. */
  maxBytes: number;
  /** Absent for the first page, which counts the total. */
  start?: PageStart;
  /** Leave `items` empty: only the counts and the next position are wanted. */
  countOnly: boolean;
}

/** The SQL hint that forces an index. */
export type IndexHint = (index: string) => string;

/**
 * The statement that reads up to `limit` rows of a page; the rows of the first page also carry facts about the whole
 * listing. Raw SQL, because no query builder can force an index, and every combination of filters needs its own
 * statement.
 */
export function pageStatement(
  account: Buffer,
  hint: IndexHint,
  request: PageRequest & { isFirst: boolean },
  limit: number,
): Condition {
  const { filters, sort, start, countOnly, isFirst } = request;
  const scope = listed(account, filters);
  const where = start ? allOf([scope, after(sort, start.position)]) : scope;
  const facts: Condition[] = [];
  if (filters.length > 0 && !start) facts.push(totalOf(account, filters, hint));
  if (includesTombstones(filters) && isFirst)
    facts.push({ sql: `${PURGED_UNTIL} AS purged_until`, parameters: [account] });
  const columns = [countOnly ? BYTES : SHORT_COLUMNS, positionColumns(sort), ...facts.map(({ sql }) => sql)];
  return {
    sql: `SELECT ${columns.join(', ')} FROM articles${indexFor(request, hint)} WHERE ${where.sql} ORDER BY ${orderBy(sort)} LIMIT ${limit}`,
    parameters: [...facts.flatMap(({ parameters }) => parameters), ...where.parameters],
  };
}

const IN_LIVE_INDEX: ReadonlySet<string> = new Set(['deleted', ...LIVE_INDEX]);
const UNIQUE: ReadonlySet<string> = new Set(['id', 'url', 'resolved_url']);

/**
 * True when a page may cost as much as the whole collection, because it has to be sorted or an index does not cover its
 * filters.
 */
export function isScan({ filters, sort }: Pick<PageRequest, 'filters' | 'sort'>): boolean {
  if (filters.some(({ field, operator, value }) => UNIQUE.has(field) && operator === 'eq' && value !== null))
    return false;
  if (sort[0]?.field !== 'last_modified') return true;
  const others = filters.filter(({ field }) => field !== 'last_modified');
  return others.some(({ field }) => !IN_LIVE_INDEX.has(field)) || (includesTombstones(filters) && others.length > 0);
}

/** Order of time comes from an index. Any other order has to be sorted, and the planner knows best how. */
function indexFor({ filters, sort }: PageRequest, hint: IndexHint): string {
  if (sort[0]?.field !== 'last_modified') return '';
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  return hint(includesTombstones(filters) ? 'uq_articles_last_modified' : 'ix_articles_live');
}

/** How many items the whole listing has. */
function totalOf(account: Buffer, filters: readonly Filter[], hint: IndexHint): Condition {
  const { sql, parameters } = listed(account, filters);
  return { sql: `(SELECT COUNT(*) FROM articles${countIndex(filters, hint)} WHERE ${sql}) AS total`, parameters };
}

/**
 * The statement that reads the account and a summary of its first page in one row: the number of items in the listing,
 * the number on the page, their bytes, and the timestamp of the last one. Only for order of time.
 */
export function outlineStatement(account: Buffer, hint: IndexHint, request: PageRequest): Condition {
  const { filters, sort, size } = request;
  const [descending] = sort.map((key) => key.descending);
  const scope = listed(account, filters);
  const total = filters.length > 0 ? totalOf(account, filters, hint) : { sql: 'a.live_count AS total', parameters: [] };
  const page = `SELECT ${BYTES}, last_modified FROM articles${indexFor(request, hint)} WHERE ${scope.sql}
    ORDER BY ${orderBy(sort)} LIMIT ${size}`;
  return {
    sql: `SELECT a.last_modified, a.live_count, a.purged_until, o.items, o.bytes, o.k0, ${total.sql}
      FROM accounts a JOIN (
        SELECT COUNT(*) AS items, COALESCE(SUM(p.bytes), 0) AS bytes, ${descending ? 'MIN' : 'MAX'}(p.last_modified) AS k0
        FROM (${page}) p
      ) o WHERE a.account = ?`,
    parameters: [...total.parameters, ...scope.parameters, account],
  };
}

/** Counts by flags are answered from an index alone. */
function countIndex(filters: readonly Filter[], hint: IndexHint): string {
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  const byTime = filters.every(({ field }) => field === 'last_modified');
  if (byTime) return hint('uq_articles_last_modified');
  return includesTombstones(filters) ? '' : hint('ix_articles_live');
}
