import type { Parameter, Dialect } from '../../database/session.js';
import { includesTombstones, type Filter, type SortKey } from '../../protocol/collection-query.js';
import { MAX_CODE_POINTS, QUERY_FIELDS, type FieldValue, type QueryField } from '../../protocol/fields.js';
import type { PageStart } from '../../protocol/page-token.js';
import { isUuid, uuidBytes } from '../../protocol/uuid.js';
import { COLLECTION_COLUMNS, type Condition, WITH_COLLECTION } from '../../accounts/accounts.store.js';
import { LIVE_INDEX } from '../../database/entities/article.entity.js';
import { ITEM_COLUMNS, parameterOf, urlHash } from './article.row.js';

const condition = (sql: string, ...parameters: Parameter[]): Condition => ({ sql, parameters });

const NOTHING = condition('1 = 0');
const EVERYTHING = condition('1 = 1');

/** The records of one account that a listing covers: live ones, and tombstones where the filters include them. */
export function listed(account: Buffer, filters: readonly Filter[]): Condition {
  const live = includesTombstones(filters) ? [] : [condition('deleted = 0')];
  return allOf([condition('account = ?', account), ...live, ...filters.map(filterCondition)]);
}

export const allOf = (conditions: Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' AND '),
  parameters: conditions.flatMap(({ parameters }) => parameters),
});

const COMPARISONS = { eq: '=', min: '>=', max: '<=', gt: '>', lt: '<' };

function filterCondition({ field, operator, value }: Filter): Condition {
  if (value === null && operator === 'eq') return condition(`${field} IS NULL`);
  if (value === null) return operator === 'not' ? condition(`${field} IS NOT NULL`) : NOTHING;
  // Text that is not a UUID cannot be bound as an id.
  if (field === 'id' && !isUuid(String(value))) return operator === 'not' ? EVERYTHING : NOTHING;
  if (operator === 'not') return condition(`(${field} <> ? OR ${field} IS NULL)`, bind(field, value));
  if (operator === 'eq' && (field === 'url' || field === 'resolved_url'))
    return condition(`${field}_hash = ?`, urlHash(String(value)));
  return condition(`${field} ${COMPARISONS[operator]} ?`, bind(field, value));
}

const bind = (field: QueryField, value: Exclude<FieldValue, null>): Parameter =>
  QUERY_FIELDS[field] === 'uuid' ? uuidBytes(String(value)) : parameterOf(value);

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

/** Matches what comes after a position in the order (keyset pagination). Nulls sort below all values. */
function after([key, ...rest]: readonly SortKey[], [value = null, ...others]: PageStart['position']): Condition {
  if (!key) return NOTHING;
  const expression = sortExpression(key.field);
  const tail = after(rest, others);
  if (value === null) {
    const tie = `(${expression} IS NULL AND ${tail.sql})`;
    return condition(key.descending ? tie : `(${expression} IS NOT NULL OR ${tie})`, ...tail.parameters);
  }
  const bound = bind(key.field, value);
  const beyond = key.descending ? `(${expression} < ? OR ${expression} IS NULL)` : `${expression} > ?`;
  if (tail === NOTHING) return condition(beyond, bound);
  return condition(`(${beyond} OR (${expression} = ? AND ${tail.sql}))`, bound, bound, ...tail.parameters);
}

/** What to list: a parsed query, the size of the page and where it starts. */
export interface PageRequest {
  account: Buffer;
  filters: readonly Filter[];
  sort: readonly SortKey[];
  size: number;
  /** The size of the items in JSON at which the page ends; a page has at least one item. */
  maxBytes: number;
  start?: PageStart;
}

/**
 * Reads up to `limit` rows of a page, each with the collection and, on a first page with filters, the listing's total.
 * Raw SQL, as no query builder can force an index.
 */
export function pageStatement(
  { indexHint, isLocal }: Dialect,
  request: PageRequest,
  limit: number,
  columns = ITEM_COLUMNS,
): Condition {
  const { account, filters, sort, start } = request;
  const total = filters.length > 0 && !start ? totalOf(account, filters, indexHint) : undefined;
  const selected = [columns, positionColumns(sort), ...COLLECTION_COLUMNS, total?.sql ?? []].flat().join(', ');
  const index = isByTime(sort) ? indexFor(filters, indexHint) : '';
  const where = pageConditions(request);
  const rows = `articles${index} WHERE ${where.sql} ORDER BY ${orderBy(sort)} LIMIT ${limit}`;
  const parameters = [...(total?.parameters ?? []), account, ...where.parameters];
  const sql = `SELECT ${selected} FROM ${WITH_COLLECTION} CROSS JOIN `;
  const isByFlags = index !== '' && filters.length > 0 && !includesTombstones(filters);
  if (isLocal ? isByTime(sort) : !isByFlags) return { sql: sql + rows, parameters };
  // The ids are found first: SQLite would sort whole rows, excerpts included. MySQL and MariaDB would read the row of each
  // index entry, at least in descending order, before they look at the flags.
  const order = isLocal ? orderBy(sort) : `found_time ${sort[0]?.descending ? 'DESC' : 'ASC'}`;
  const found = `(SELECT id AS found_id, last_modified AS found_time FROM ${rows}) AS found`;
  const join = `${found} ${isLocal ? 'CROSS JOIN' : 'STRAIGHT_JOIN'} articles ON account = ? AND id = found_id ORDER BY ${order}`;
  return { sql: sql + join, parameters: [...parameters, account] };
}

/** What the rows of a page have to meet, whatever its size. */
export function pageConditions({ account, filters, sort, start }: PageRequest): Condition {
  const scope = listed(account, filters);
  return start ? allOf([scope, after(sort, start.position)]) : scope;
}

export const isByTime = ([first]: readonly SortKey[]): boolean => first?.field === 'last_modified';

const IN_LIVE_INDEX: readonly string[] = ['deleted', ...LIVE_INDEX];

/** Order of time comes from an index. If it lacks a field, or for any other order, the planner knows best. */
function indexFor(filters: readonly Filter[], hint: Dialect['indexHint']): string {
  if (!filters.every(({ field }) => IN_LIVE_INDEX.includes(field))) return '';
  return hint(includesTombstones(filters) ? 'uq_articles_last_modified' : 'ix_articles_live');
}

function totalOf(account: Buffer, filters: readonly Filter[], hint: Dialect['indexHint']): Condition {
  const { sql, parameters } = listed(account, filters);
  // Flags of tombstones are in none of the indexes.
  const isCovered = !includesTombstones(filters) || filters.every(({ field }) => field === 'last_modified');
  const index = isCovered ? indexFor(filters, hint) : '';
  return { sql: `(SELECT COUNT(*) FROM articles${index} WHERE ${sql}) AS total`, parameters };
}
