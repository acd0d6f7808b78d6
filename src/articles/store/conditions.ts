import type { Parameter } from '../../database/session.js';
import { includesTombstones, type Filter, type Operator, type SortKey } from '../../protocol/collection-query.js';
import { QUERY_FIELDS, type FieldValue, type QueryField } from '../../protocol/fields.js';
import type { PagePosition } from '../../protocol/page-token.js';
import { isUuid } from '../../protocol/query-values.js';
import { idBytes, urlHash } from './article.row.js';

/** A piece of SQL with the values of its `?`. */
export interface Condition {
  sql: string;
  parameters: Parameter[];
}

const NOTHING: Condition = { sql: '1 = 0', parameters: [] };
const EVERYTHING: Condition = { sql: '1 = 1', parameters: [] };

/** The records of one account that a listing is about: live ones, and tombstones where the filters bring them in. */
export function listed(account: Buffer, filters: readonly Filter[]): Condition {
  const live = includesTombstones(filters) ? [] : [{ sql: 'deleted = 0', parameters: [] }];
  return allOf([{ sql: 'account = ?', parameters: [account] }, ...live, ...filters.map(filterCondition)]);
}

export const allOf = (conditions: Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' AND '),
  parameters: conditions.flatMap(({ parameters }) => parameters),
});

const COMPARISONS: Readonly<Record<Exclude<Operator, 'eq' | 'not'>, string>> = {
  min: '>=',
  max: '<=',
  gt: '>',
  lt: '<',
};

function filterCondition({ field, operator, value }: Filter): Condition {
  if (operator === 'eq') return equals(field, value);
  if (operator === 'not') return differs(field, value);
  if (value === null || !isBindable(field, value)) return NOTHING;
  return { sql: `${field} ${COMPARISONS[operator]} ?`, parameters: [bind(field, value)] };
}

function equals(field: QueryField, value: FieldValue): Condition {
  if (value === null) return { sql: `${field} IS NULL`, parameters: [] };
  if (!isBindable(field, value)) return NOTHING;
  if ((field === 'url' || field === 'resolved_url') && typeof value === 'string')
    return { sql: `${field}_hash = ?`, parameters: [urlHash(value)] };
  return { sql: `${field} = ?`, parameters: [bind(field, value)] };
}

function differs(field: QueryField, value: FieldValue): Condition {
  if (value === null) return { sql: `${field} IS NOT NULL`, parameters: [] };
  if (!isBindable(field, value)) return EVERYTHING;
  return { sql: `(${field} <> ? OR ${field} IS NULL)`, parameters: [bind(field, value)] };
}

/** A text that is no UUID is no id, and cannot be bound as one. */
const isBindable = (field: QueryField, value: FieldValue): boolean => field !== 'id' || isUuid(String(value));

function bind(field: QueryField, value: Exclude<FieldValue, null>): Parameter {
  if (QUERY_FIELDS[field] === 'uuid') return idBytes(String(value));
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Excerpts have no limit, sort keys do (the position of a page travels in a URL): they sort by their beginning. */
const MAX_SORTED_EXCERPT = 1024;

/** What a field sorts by. Booleans are turned round, so that true comes before false while null stays below both. */
function sortExpression(field: QueryField): string {
  if (field === 'excerpt') return `SUBSTR(excerpt, 1, ${MAX_SORTED_EXCERPT})`;
  return QUERY_FIELDS[field] === 'boolean' ? `1 - ${field}` : field;
}

export const orderBy = (sort: readonly SortKey[]): string =>
  sort.map(({ field, descending }) => sortExpression(field) + (descending ? ' DESC' : '')).join(', ');

/** The columns that make up the position of a row in the order, named `k0`, `k1`, …: what the row sorts by. */
export const positionColumns = (sort: readonly SortKey[]): string =>
  sort.map(({ field }, at) => `${sortExpression(field)} AS k${at}`).join(', ');

/** What comes after `position` in the order, nulls being lower than all values (keyset pagination). */
export function after(sort: readonly SortKey[], position: PagePosition): Condition {
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
