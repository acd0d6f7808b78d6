import { Invalid } from './body-values.js';
import { type FieldKind, fieldsWhere, type FieldValue, KINDS, QUERY_FIELDS, type QueryField } from './fields.js';

/** Fields that may be null and cannot be an empty text. */
const EMPTY_IS_NULL: ReadonlySet<QueryField> = new Set(
  fieldsWhere(({ kind, nullable }) => nullable === true && !KINDS[kind].mayBeEmpty),
);

/**
 * Converts a query parameter to a value of `field`. An empty text is null if the field is nullable. An id is not
 * validated: text that is not a UUID simply matches nothing. Returns `Invalid` instead of throwing.
 */
export function readQueryValue(field: QueryField, text: string): FieldValue | Invalid {
  if (text === '' && EMPTY_IS_NULL.has(field)) return null;
  return READERS[QUERY_FIELDS[field]](text);
}

const asItStands = (text: string): string => text;

const READERS: Readonly<Record<FieldKind, (text: string) => FieldValue | Invalid>> = {
  uuid: (text) => text.toLowerCase(),
  timestamp: readInteger,
  integer: readInteger,
  boolean: (text) => readBoolean(text),
  url: asItStands,
  title: asItStands,
  label: asItStands,
  text: asItStands,
  device: asItStands,
};

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
