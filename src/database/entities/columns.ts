import type { EntitySchemaColumnOptions, ValueTransformer } from 'typeorm';
import { type FieldKind, MAX_CODE_POINTS } from '../../protocol/fields.js';
import { uuidBytes, uuidText } from '../../protocol/uuid.js';

/** TypeORM's names of the databases; MariaDB and MySQL report their schemas differently. */
export type DatabaseType = 'better-sqlite3' | 'mariadb' | 'mysql';

/** The column for each kind of value, `NOT NULL` unless the entity says otherwise. */
export interface ColumnTypes {
  bytes: (length: number) => EntitySchemaColumnOptions;
  integer: EntitySchemaColumnOptions;
  /** Milliseconds or a large number; the MySQL driver may return text, entities hold a number. */
  bigInteger: EntitySchemaColumnOptions;
  boolean: EntitySchemaColumnOptions;
  /** A text of at most `length` characters. */
  text: (length: number) => EntitySchemaColumnOptions;
  longText: EntitySchemaColumnOptions;
}

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

const SQLITE: ColumnTypes = {
  bytes: () => ({ type: 'blob' }),
  integer: { type: 'integer' },
  bigInteger: { type: 'integer' },
  boolean: { type: 'integer', transformer: boolean },
  text: () => ({ type: 'text' }),
  longText: { type: 'text' },
};

const MYSQL: ColumnTypes = {
  bytes: (length) => ({ type: 'binary', length }),
  integer: { type: 'int' },
  bigInteger: { type: 'bigint', transformer: number },
  boolean: { type: 'tinyint', transformer: boolean },
  text: (length) => ({ type: 'varchar', length }),
  longText: { type: 'longtext' },
};

export const columnTypes = (database: DatabaseType): ColumnTypes => (database === 'better-sqlite3' ? SQLITE : MYSQL);

/** The column for an article field of this kind. */
export const fieldColumn = (types: ColumnTypes, kind: FieldKind): EntitySchemaColumnOptions => COLUMNS[kind](types);

const COLUMNS: Readonly<Record<FieldKind, (types: ColumnTypes) => EntitySchemaColumnOptions>> = {
  uuid: (types) => ({ ...types.bytes(16), transformer: uuid }),
  timestamp: (types) => types.bigInteger,
  integer: (types) => types.bigInteger,
  boolean: (types) => types.boolean,
  url: (types) => types.text(MAX_CODE_POINTS.url),
  title: (types) => types.text(MAX_CODE_POINTS.title),
  label: (types) => types.text(MAX_CODE_POINTS.label),
  text: (types) => types.longText,
  device: (types) => types.text(MAX_CODE_POINTS.device),
};
