import type { Parameter, Dialect } from '../../database/session.js';
import { includesTombstones, type Filter, type SortKey } from '../../protocol/collection-query.js';
import { MAX_CODE_POINTS, QUERY_FIELDS, type FieldValue, type QueryField } from '../../protocol/fields.js';
import type { PagePosition, PageStart } from '../../protocol/page-token.js';
import { isUuid, uuidBytes } from '../../protocol/uuid.js';
import { COLLECTION_COLUMNS, type Condition, WITH_COLLECTION } from '../../accounts/accounts.store.js';
import { LIVE_INDEX } from '../../database/entities/article.entity.js';
import { urlHash, ITEM_COLUMNS } from './article.row.js';

const NOTHING: Condition = { sql: '1 = 0', parameters: [] };
const EVERYTHING: Condition = { sql: '1 = 1', parameters: [] };

/** The records of one account that a listing covers: live ones, and tombstones where the filters include them. */
export function listed(account: Buffer, filters: readonly Filter[]): Condition {
  const live = includesTombstones(filters) ? [] : [{ sql: 'deleted = 0', parameters: [] }];
  return allOf([{ sql: 'account = ?', parameters: [account] }, ...live, ...filters.map(filterCondition)]);
}

export const allOf = (conditions: Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' AND '),
  parameters: conditions.flatMap(({ parameters }) => parameters),
});

const COMPARISONS = { eq: '=', min: '>=', max: '<=', gt: '>', lt: '<' };

function filterCondition({ field, operator, value }: Filter): Condition {
  if (value === null) {
    if (operator === 'eq') return { sql: `${field} IS NULL`, parameters: [] };
    return operator === 'not' ? { sql: `${field} IS NOT NULL`, parameters: [] } : NOTHING;
  }
  // Text that is not a UUID cannot be bound as an id.
  if (field === 'id' && !isUuid(String(value))) return operator === 'not' ? EVERYTHING : NOTHING;
  if (operator === 'not') return { sql: `(${field} <> ? OR ${field} IS NULL)`, parameters: [bind(field, value)] };
  if (operator === 'eq' && (field === 'url' || field === 'resolved_url'))
    return { sql: `${field}_hash = ?`, parameters: [urlHash(String(value))] };
  return { sql: `${field} ${COMPARISONS[operator]} ?`, parameters: [bind(field, value)] };
}

function bind(field: QueryField, value: Exclude<FieldValue, null>): Parameter {
  if (QUERY_FIELDS[field] === 'uuid') return uuidBytes(String(value));
  return typeof value === 'boolean' ? Number(value) : value;
}

/** What a field sorts by. Booleans are inverted, so that true sorts before false while null still sorts below both. */
function sortExpression(field: QueryField): string {
  // The position of a page is part of a URL, so excerpts sort by as much as a title may have.
  if (field === 'excerpt') return `SUBSTR(excerpt, 1, ${MAX_CODE_POINTS.title})`;
  return QUERY_FIELDS[field] === 'boolean' ? `1 - ${field}` : field;
}

const orderBy = (sort: readonly SortKey[]): string =>
  sort.map(({ field, descending }) => sortExpression(field) + (descending ? ' DESC' : '')).join(', ');

/** The columns that a row sorts by, named `k0`, `k1`, …: its position in the order. */
const positionColumns = (sort: readonly SortKey[]): string =>
  sort.map(({ field }, at) => `${sortExpression(field)} AS k${at}`).join(', ');

/** Matches what comes after `position` in the order (keyset pagination). Nulls sort below all values. */
function after(sort: readonly SortKey[], position: PagePosition): Condition {
  const [key, ...rest] = sort;
  if (!key) return NOTHING;
  const expression = sortExpression(key.field);
  const value = position[0] ?? null;
  const tail = rest.length > 0 ? after(rest, position.slice(1)) : NOTHING;
  if (value === null) {
    const tie = `(${expression} IS NULL AND ${tail.sql})`;
    return { sql: key.descending ? tie : `(${expression} IS NOT NULL OR ${tie})`, parameters: tail.parameters };
  }
  const bound = bind(key.field, value);
  const beyond = key.descending ? `(${expression} < ? OR ${expression} IS NULL)` : `${expression} > ?`;
  if (tail === NOTHING) return { sql: beyond, parameters: [bound] };
  return { sql: `(${beyond} OR (${expression} = ? AND ${tail.sql}))`, parameters: [bound, bound, ...tail.parameters] };
}

/** What to list: a parsed query, the size of the page and where it starts. */
export interface PageRequest {
  account: Buffer;
  filters: readonly Filter[];
  sort: readonly SortKey[];
  size: number;
  /** The size of the items in JSON at which the page ends; a page has at least one item. */
  maxBytes: number;
  /** Absent for the first page, which counts the total. */
  start?: PageStart;
}

/**
 * Reads up to `limit` rows of a page, each with the collection and, on a first page with filters, the listing's total.
 * Raw SQL, as no query builder can force an index.
 */
export function pageStatement(
  { indexHint: hint, isLocal }: Dialect,
  request: PageRequest,
  limit: number,
  columns = ITEM_COLUMNS,
): Condition {
  const { account, filters, sort, start } = request;
  const total = filters.length > 0 && !start ? totalOf(account, filters, hint) : undefined;
  const selected = [columns, positionColumns(sort), ...COLLECTION_COLUMNS, total?.sql ?? []].flat().join(', ');
  const where = pageConditions(request);
  const rows = `articles${indexFor(request, hint)} WHERE ${where.sql} ORDER BY ${orderBy(sort)} LIMIT ${limit}`;
  const parameters = [...(total?.parameters ?? []), account, ...where.parameters];
  const sql = `SELECT ${selected} FROM ${WITH_COLLECTION} CROSS JOIN `;
  if (isLocal || !isByFlags(request)) return { sql: sql + rows, parameters };
  const order = sort[0]?.descending ? 'DESC' : 'ASC';
  const found = `(SELECT id AS found_id, last_modified AS found_time FROM ${rows}) AS found`;
  return {
    sql: `${sql}${found} STRAIGHT_JOIN articles ON account = ? AND id = found_id ORDER BY found_time ${order}`,
    parameters: [...parameters, account],
  };
}

/** What the rows of a page have to meet, whatever its size. */
export function pageConditions({ account, filters, sort, start }: PageRequest): Condition {
  const scope = listed(account, filters);
  return start ? allOf([scope, after(sort, start.position)]) : scope;
}

/**
 * Whether a listing in order of time filters by flags. MySQL and MariaDB would read the row of each index entry, at least in
 * descending order, before they look at the flags; so the ids are found first, in the index alone.
 */
const isByFlags = ({ filters, sort }: PageRequest): boolean =>
  isByTime(sort) &&
  isInLiveIndex(filters) &&
  !includesTombstones(filters) &&
  filters.some(({ field }) => field !== 'last_modified');

export const isByTime = ([first]: readonly SortKey[]): boolean => first?.field === 'last_modified';

const IN_LIVE_INDEX: ReadonlySet<string> = new Set(['deleted', ...LIVE_INDEX]);

const isInLiveIndex = (filters: readonly Filter[]): boolean => filters.every(({ field }) => IN_LIVE_INDEX.has(field));

/** Order of time comes from an index. Any other order has to be sorted, and the planner knows best how. */
function indexFor({ filters, sort }: PageRequest, hint: Dialect['indexHint']): string {
  if (!isByTime(sort) || !isInLiveIndex(filters)) return '';
  return hint(includesTombstones(filters) ? 'uq_articles_last_modified' : 'ix_articles_live');
}

function totalOf(account: Buffer, filters: readonly Filter[], hint: Dialect['indexHint']): Condition {
  const { sql, parameters } = listed(account, filters);
  return { sql: `(SELECT COUNT(*) FROM articles${countIndex(filters, hint)} WHERE ${sql}) AS total`, parameters };
}

/** Counts by flags are answered from an index alone. */
function countIndex(filters: readonly Filter[], hint: Dialect['indexHint']): string {
  if (!isInLiveIndex(filters)) return '';
  const byTime = filters.every(({ field }) => field === 'last_modified');
  if (byTime) return hint('uq_articles_last_modified');
  return includesTombstones(filters) ? '' : hint('ix_articles_live');
}
