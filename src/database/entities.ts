import type { ColumnType, DataSourceOptions, EntitySchemaColumnOptions, ValueTransformer } from 'typeorm';
import { EntitySchema } from 'typeorm';
import { ARTICLE_FIELDS, type FieldKind, MAX_CODE_POINTS } from '../protocol/fields.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { uuidBytes, uuidText } from '../protocol/uuid.js';

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

type ColumnTypes = ReturnType<typeof columnTypes>;

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

/** A user's account: the clock, the lock for writers, and the number of live articles. */
export class Account {
  /** 16 bytes: an HMAC of scheme and identity. */
  account: Buffer;
  last_modified: Timestamp;
  live_count: number;
  /** Tombstones up to this timestamp may have been purged. */
  purged_until: Timestamp;
  /** Marks of the last transactions (`accounts/tick.ts`); null before the first one. */
  recent_writes: string | null;
}

const accountEntity = ({ bytes, integer, bigInteger, text }: ColumnTypes) =>
  new EntitySchema<Account>({
    target: Account,
    name: 'Account',
    tableName: 'accounts',
    withoutRowid: true,
    columns: {
      account: { ...bytes(16), primary: true },
      last_modified: bigInteger,
      live_count: integer,
      purged_until: { ...bigInteger, default: 0 },
      recent_writes: { ...text(192), nullable: true },
    },
  });

/** A user whose tokens are refused. The user's account need not exist. */
export class Deprovisioned {
  account: Buffer;
  since: Timestamp;
  /** When the list is to be erased; null if it is kept, or erased already. */
  erase_on: Timestamp | null;
}

const deprovisionedEntity = ({ bytes, bigInteger }: ColumnTypes) =>
  new EntitySchema<Deprovisioned>({
    target: Deprovisioned,
    name: 'Deprovisioned',
    tableName: 'deprovisioned',
    withoutRowid: true,
    columns: {
      account: { ...bytes(16), primary: true },
      since: bigInteger,
      erase_on: { ...bigInteger, nullable: true },
    },
  });

/** A personal token of a user. It gives no access by itself, as only the hash of the token is stored. */
export class Token {
  /** The user's name, chosen by the operator. */
  subject: string;
  /** What the token is for, such as a device. */
  name: string;
  /** SHA-256, 32 bytes. */
  token_hash: Buffer;
  created_on: Timestamp;
  expires_on: Timestamp | null;
  /** Accurate to the hour; null if never used. */
  last_used_on: Timestamp | null;
  /** Null counts as false. */
  read_only: boolean | null;
}

const tokenEntity = ({ bytes, bigInteger, boolean, text }: ColumnTypes) =>
  new EntitySchema<Token>({
    target: Token,
    name: 'Token',
    tableName: 'tokens',
    withoutRowid: true,
    columns: {
      subject: { ...text(255), primary: true },
      name: { ...text(255), primary: true },
      token_hash: bytes(32),
      created_on: bigInteger,
      expires_on: { ...bigInteger, nullable: true },
      last_used_on: { ...bigInteger, nullable: true },
      read_only: { ...boolean, nullable: true },
    },
    indices: [{ name: 'uq_tokens_token_hash', columns: ['token_hash'], unique: true }],
  });

/** A live article or a tombstone, in which all fields are null except `id` and `last_modified`. */
export class StoredArticle {
  account: Buffer;
  id: string;
  last_modified: Timestamp;
  deleted: boolean;
  /** SHA-256 of the URL; null in a tombstone, so that the unique key allows one live article per URL. */
  url_hash: Buffer | null;
  resolved_url_hash: Buffer | null;
}

const fieldColumns = ({ bytes, bigInteger, boolean, text, longText }: ColumnTypes) => ({
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

/** In the order of how often listings filter by them. */
export const LIVE_INDEX = ['last_modified', 'unread', 'archived', 'favorite', 'is_article'] as const;

/** Built from the field table: a new field gets its column without being named here. */
export function articleEntity(types: ColumnTypes, kinds: Readonly<Record<string, FieldKind>> = ARTICLE_FIELDS) {
  const columns: Record<string, EntitySchemaColumnOptions> = {};
  for (const [field, kind] of Object.entries(kinds)) {
    const isRequired = field === 'id' || field === 'last_modified';
    columns[field] = { ...fieldColumns(types)[kind], primary: field === 'id', nullable: !isRequired };
  }
  const hash = { ...types.bytes(32), nullable: true };
  return new EntitySchema<StoredArticle>({
    target: StoredArticle,
    name: 'StoredArticle',
    tableName: 'articles',
    columns: {
      account: { ...types.bytes(16), primary: true },
      ...columns,
      deleted: types.boolean,
      url_hash: hash,
      resolved_url_hash: hash,
    },
    indices: [
      { name: 'uq_articles_last_modified', columns: ['account', 'last_modified'], unique: true },
      { name: 'uq_articles_url_hash', columns: ['account', 'url_hash'], unique: true },
      { name: 'uq_articles_resolved_url_hash', columns: ['account', 'resolved_url_hash'], unique: true },
      { name: 'ix_articles_live', columns: ['account', 'deleted', ...LIVE_INDEX] },
    ],
  });
}

export const ENTITIES = [accountEntity, articleEntity, deprovisionedEntity, tokenEntity];
