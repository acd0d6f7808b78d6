import { Invalid } from './body-values.js';
import { fieldsWhere, QUERY_FIELDS, type FieldValue, type QueryField } from './fields.js';

/** Fields that may be null and cannot be an empty text. */
const EMPTY_IS_NULL: ReadonlySet<QueryField> = new Set(
  fieldsWhere(({ kind, nullable }) => nullable === true && kind !== 'title'),
);

/**
 * Converts a query parameter to a value of `field`. An empty text is null if the field is nullable. An id is not
 * validated: text that is not a UUID simply matches nothing. Returns `Invalid` instead of throwing.
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

/** Any safe integer, with optional surrounding white space. */
function readInteger(text: string): number | Invalid {
  if (!/^-?\d+$/.test(text.trim())) return new Invalid('not an integer');
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : new Invalid('integer out of range');
}
