import { Invalid } from './body-values.js';
import { fieldsWhere, QUERY_FIELDS, type FieldValue, type QueryField } from './fields.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Fields that may be null and cannot be an empty text. */
const EMPTY_IS_NULL: ReadonlySet<QueryField> = new Set(
  fieldsWhere(({ kind, nullable }) => nullable === true && kind !== 'title'),
);

export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * Reads the text of a query parameter as a value of `field`. An empty text is null where the field may be null. The text
 * of an id is taken as it is: one that is no UUID equals no id. Returns `Invalid` instead of throwing.
 */
export function readQueryValue(field: QueryField, text: string): FieldValue | Invalid {
  if (text === '' && EMPTY_IS_NULL.has(field)) return null;
  switch (QUERY_FIELDS[field]) {
    case 'boolean':
      return readBoolean(text);
    case 'integer':
    case 'timestamp':
      return readInteger(text);
    case 'uuid':
      return text.toLowerCase();
    default:
      return text;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

const readBoolean = (text: string): boolean | Invalid =>
  BOOLEANS.get(text.toLowerCase()) ?? new Invalid('not a boolean');

/** Any integer of at most 2^53 - 1 either side of zero, blanks around it allowed. */
export function readInteger(text: string): number | Invalid {
  if (!/^-?\d+$/.test(text.trim())) return new Invalid('not an integer');
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : new Invalid('integer out of range');
}
