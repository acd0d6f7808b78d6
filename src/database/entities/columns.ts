import type { ColumnType, DataSourceOptions, ValueTransformer } from 'typeorm';
import { MAX_CODE_POINTS } from '../../protocol/fields.js';
import { uuidBytes, uuidText } from '../../protocol/uuid.js';

const number: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};
const boolean: ValueTransformer = {
  to: (value: unknown) => (typeof value === 'boolean' ? Number(value) : value),
  from: (value: number | null) => (value === null ? null : value === 1),
};
/** A dashed UUID, stored as 16 bytes. Anything else, such as a find operator, passes through. */
const uuid: ValueTransformer = {
  to: (value: unknown) => (typeof value === 'string' ? uuidBytes(value) : value),
  from: (bytes: Buffer) => uuidText(bytes),
};

export type ColumnTypes = ReturnType<typeof columnTypes>;

/** The column for each kind of value, `NOT NULL` unless the entity says otherwise. */
export function columnTypes(database: DataSourceOptions['type']) {
  const isSqlite = database === 'better-sqlite3';
  // SQLite's types have no length.
  const column = (inFile: ColumnType, onServer: ColumnType, length?: number) =>
    isSqlite ? { type: inFile } : { type: onServer, length };
  return {
    bytes: (length: number) => column('blob', 'binary', length),
    integer: column('integer', 'int'),
    /** Milliseconds or a large number, which MySQL's driver may return as text. SQLite's stay as they are, even damaged. */
    bigInteger: { ...column('integer', 'bigint'), transformer: isSqlite ? undefined : number },
    boolean: { ...column('integer', 'tinyint'), transformer: boolean },
    text: (length: number) => column('text', 'varchar', length),
    longText: column('text', 'longtext'),
  };
}

/** The column for an article field of each kind. */
export const fieldColumns = ({ bytes, bigInteger, boolean, text, longText }: ColumnTypes) => ({
  uuid: { ...bytes(16), transformer: uuid },
  timestamp: bigInteger,
  integer: bigInteger,
  boolean,
  url: text(MAX_CODE_POINTS.url),
  title: text(MAX_CODE_POINTS.title),
  label: text(MAX_CODE_POINTS.label),
  text: longText,
  device: text(MAX_CODE_POINTS.device),
});
