import { invalidParameter } from './api-error.js';
import { Invalid, readQueryValue } from './field-values.js';
import { isQueryField, type FieldValue, type QueryField } from './fields.js';
import { decodePercent } from './percent-encoding.js';
import type { Timestamp } from './timestamp.js';

/** How a filter compares: `eq`, or the prefix of the parameter. */
export type Operator = 'eq' | 'min' | 'max' | 'gt' | 'lt' | 'not';

export interface Filter {
  field: QueryField;
  operator: Operator;
  value: FieldValue;
}

export interface SortKey {
  field: QueryField;
  /** Descending: null last, false before true. Ascending: null first, true before false. */
  descending: boolean;
}

/** A parsed query string of the collection (docs/protocol.md, "Listing"). */
interface CollectionQuery {
  filters: Filter[];
  /** Always a total order: ends with `last_modified` or `id`, which are unique. */
  sort: readonly SortKey[];
  limit?: number;
  token?: string;
}

/** More than any device sends; each becomes a condition of the SQL statement. */
const MAX_FILTERS = 30;
/** With those that are ignored: each takes microseconds to decode. */
const MAX_ENCODED = 1_000;

const NEWEST_FIRST: readonly SortKey[] = [{ field: 'last_modified', descending: true }];
/** The order of changes: the tombstone of a URL that was deleted and saved again comes first. */
const OLDEST_FIRST: readonly SortKey[] = [{ field: 'last_modified', descending: false }];

const ALIASES: ReadonlyMap<string, Pick<Filter, 'field' | 'operator'>> = new Map([
  ['_since', { field: 'last_modified', operator: 'gt' }],
  ['_to', { field: 'last_modified', operator: 'lt' }],
]);
const PAGING = ['_sort', '_limit', '_token'];
const ONCE = new Set([...ALIASES.keys(), ...PAGING]);

/** Parses what follows the `?` of a listing. Throws 400 / 107 for the first wrong parameter in alphabetical order. */
export const parseCollectionQuery = (search: string): CollectionQuery => parseQuery(search, true);

/** Parses the query string of a collection DELETE, which takes filters only. Throws 400 / 107. */
export const parseDeleteQuery = (search: string): Filter[] => parseQuery(search, false).filters;

function parseQuery(search: string, hasPages: boolean): CollectionQuery {
  const parameters = readParameters(search);
  const filters: Filter[] = [];
  let sort: readonly SortKey[] | undefined;
  let limit: number | undefined;
  let token: string | undefined;
  for (let at = 0; at < parameters.length; at++) {
    const { name, value } = parameters[at]!;
    if (!hasPages && PAGING.includes(name)) throw invalidParameter(name, 'not allowed in a DELETE');
    if (value === undefined) throw invalidParameter(name, 'malformed percent-encoding');
    if (ONCE.has(name) && parameters[at + 1]?.name === name) throw invalidParameter(name, 'given more than once');
    if (name === '_sort') sort = readSort(value);
    else if (name === '_limit') limit = readLimit(value);
    else if (name === '_token') token = value || undefined;
    else filters.push(readFilter(name, value));
  }
  if (filters.length > MAX_FILTERS) throw invalidParameter(filters[0]!.field, `more than ${MAX_FILTERS} filters`);
  sort ??= includesTombstones(filters) ? OLDEST_FIRST : NEWEST_FIRST;
  return { filters, sort, limit, token };
}

/** True when the listing includes tombstones, that is when it is filtered by `last_modified`. */
export const includesTombstones = (filters: readonly Filter[]): boolean =>
  filters.some(({ field }) => field === 'last_modified');

/** The value is undefined if it or the name is not decodable. */
type Parameter = { name: string; value?: string };

/** Without those that are ignored. */
function readParameters(search: string): Parameter[] {
  const parts = search.split('&').filter((part) => part !== '');
  if (parts.filter((part) => part.includes('%')).length > MAX_ENCODED)
    throw invalidParameter('query', `more than ${MAX_ENCODED} parameters with percent-encoding`);
  const parameters = parts.map(readParameter).filter(({ name }) => !name.startsWith('_') || ONCE.has(name));
  return parameters.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function readParameter(part: string): Parameter {
  const at = part.indexOf('=');
  const name = at < 0 ? part : part.slice(0, at);
  const value = at < 0 ? '' : part.slice(at + 1);
  if (!part.includes('%') && !part.includes('+')) return { name, value };
  const decoded = decode(name);
  return decoded === undefined ? { name } : { name: decoded, value: decode(value) };
}

const decode = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));

function readFilter(name: string, value: string): Filter {
  const { field, operator } = ALIASES.get(name) ?? readFilterName(name);
  const typed = readQueryValue(field, value);
  if (typed instanceof Invalid) throw invalidParameter(name, typed.reason);
  return { field, operator, value: typed };
}

function readFilterName(name: string): Pick<Filter, 'field' | 'operator'> {
  if (isQueryField(name)) return { field: name, operator: 'eq' };
  const [, operator, field] = /^(min|max|gt|lt|not)_(.+)$/s.exec(name) ?? [];
  if (field === undefined || !isQueryField(field)) throw invalidParameter(name, 'unknown field');
  return { field, operator: operator as Operator };
}

/** Limits above the page size are capped later, so precision loss in huge numbers does not matter. */
function readLimit(text: string): number {
  const limit = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  if (limit < 1) throw invalidParameter('_limit', 'not an integer >= 1');
  return limit;
}

function readSort(text: string): readonly SortKey[] | undefined {
  if (text.trim() === '') return undefined;
  const keys = text.split(',').map((part) => {
    const name = part.trim();
    const field = name.replace(/^-/, '');
    if (!isQueryField(field)) throw invalidParameter('_sort', `unknown field ${JSON.stringify(field.slice(0, 64))}`);
    return { field, descending: name.startsWith('-') };
  });
  return totalOrder(keys);
}

/** Drops keys without effect (repeated fields, all after a unique one) and ends the order with a unique field. */
function totalOrder(keys: SortKey[]): SortKey[] {
  const order: SortKey[] = [];
  for (const key of keys) {
    if (order.some(({ field }) => field === key.field)) continue;
    order.push(key);
    if (key.field === 'last_modified' || key.field === 'id') return order;
  }
  return [...order, { field: 'id', descending: false }];
}

/**
 * True when a device asks for changes since a time whose tombstones are gone (docs/protocol.md, "Tombstone retention").
 * @param purgedUntil timestamp of the latest change whose tombstone was purged, 0 when none was
 */
export function mustStartOver(filters: readonly Filter[], purgedUntil: Timestamp): boolean {
  const since = Math.max(...filters.map(seenUntil));
  return since > 0 && since < purgedUntil;
}

/** The latest timestamp that the filter excludes because the device has already seen it. */
function seenUntil({ field, operator, value }: Filter): number {
  if (field !== 'last_modified') return 0;
  if (operator === 'gt') return Number(value);
  return operator === 'min' || operator === 'eq' ? Number(value) - 1 : 0;
}
