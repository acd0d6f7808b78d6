/** A value of a record or tombstone, as filters and sorting see it. */
export type FieldValue = string | number | boolean | null;

export const valueOf = (item: Readonly<Record<string, FieldValue>>, field: string): FieldValue =>
  field === 'deleted' ? item.deleted === true : (item[field] ?? null);

/** The order for filters: nulls first, numbers by value, texts by code point, false before true. */
export function compareValues(a: FieldValue, b: FieldValue): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

/** The order for sorting: the same, but true before false. */
export const arrangeValues = (a: FieldValue, b: FieldValue): number =>
  typeof a === 'boolean' && typeof b === 'boolean' ? Number(b) - Number(a) : compareValues(a, b);
