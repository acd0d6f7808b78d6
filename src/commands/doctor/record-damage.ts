import type { Row } from '../../database/session.js';
import { type ArticleField, type Field, FIELDS, FIELD_NAMES } from '../../protocol/fields.js';
import { LATEST_TIMESTAMP } from '../../protocol/timestamp.js';

/** Invalid values by column: SQLite accepts any value in any column, and other programs may write too. */
export type Faults = Partial<Record<ArticleField | 'deleted', string>>;

const OF_TOMBSTONES: readonly ArticleField[] = ['id', 'last_modified'];

/**
 * The faults of a row of `articles`; its excerpt may be truncated. A row with an invalid `deleted` counts as a
 * tombstone if it has no URL.
 */
export function faultsOf(row: Row): Faults {
  const faults: Faults = {};
  for (const field of isLive(row) ? FIELD_NAMES : OF_TOMBSTONES) {
    const fault = faultOf(field, row[field]!);
    if (fault !== undefined) faults[field] = fault;
  }
  if (row.deleted !== 0 && row.deleted !== 1) faults.deleted = 'is neither 0 nor 1';
  return faults;
}

export const isLive = ({ deleted, url }: Row): boolean =>
  deleted === 0 || deleted === 1 ? deleted === 0 : url !== null;

/** What is wrong with a value of a live article; undefined if it is valid. */
function faultOf(field: ArticleField, value: Row[string]): string | undefined {
  const { kind, nullable } = FIELDS[field] as Field;
  if (value === null) return nullable ? undefined : 'is NULL';
  if (kind === 'uuid') return Buffer.isBuffer(value) && value.length === 16 ? undefined : 'is not 16 bytes long';
  if (kind === 'boolean') return value === 0 || value === 1 ? undefined : 'is neither 0 nor 1';
  if (kind === 'integer' || kind === 'timestamp')
    return faultOfNumber(value, field === 'last_modified' ? LATEST_TIMESTAMP : Number.MAX_SAFE_INTEGER);
  return typeof value === 'string' ? undefined : 'is not text';
}

function faultOfNumber(value: Row[string], most: number): string | undefined {
  // The MySQL driver returns unsafe integers as strings.
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return 'is not a number';
  if (!Number.isInteger(number)) return 'is not an integer';
  if (number < 0) return 'is negative';
  return number > most ? 'is too large' : undefined;
}
