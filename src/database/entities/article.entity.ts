import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { ARTICLE_FIELDS, type FieldKind } from '../../protocol/fields.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { type ColumnTypes, fieldColumns } from './columns.js';

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
