import { urlHash } from '../../articles/store/article.row.js';
import type { Parameter, Row, Session } from '../../database/session.js';
import { type ArticleField, type Field, FIELD_NAMES, FIELDS, KINDS } from '../../protocol/fields.js';
import { LATEST_TIMESTAMP } from '../../protocol/timestamp.js';

const HASHES = ['url_hash', 'resolved_url_hash'];

/** True for values of a field that the service never writes: SQLite takes any in any column. A tombstone has no content. */
function isWrong(field: ArticleField, isLocal: boolean): string {
  const { kind, nullable } = FIELDS[field] as Field;
  const { type } = KINDS[kind];
  const stored = kind === 'uuid' ? 'blob' : type === 'text' ? 'text' : 'integer';
  const most = field === 'last_modified' ? LATEST_TIMESTAMP : type === 'boolean' ? 1 : Number.MAX_SAFE_INTEGER;
  const wrong = [
    nullable ? 'FALSE' : `${field} IS NULL`,
    ...(isLocal ? [`TYPEOF(${field}) NOT IN ('${stored}', 'null')`] : []),
    ...(stored === 'blob' ? [`LENGTH(${field}) <> 16`] : []),
    ...(stored === 'integer' ? [`${field} NOT BETWEEN 0 AND ${most}`] : []),
  ].join(' OR ');
  if (field === 'id' || field === 'last_modified') return wrong;
  return `CASE WHEN deleted = 1 THEN ${field} IS NOT NULL ELSE ${wrong} END`;
}

/** The names of the columns with such values, separated by commas. */
function wrongColumns(isLocal: boolean): string {
  const conditions = [
    ...FIELD_NAMES.map((field) => [field, isWrong(field, isLocal)]),
    ...HASHES.map((hash) => [hash, `deleted = 1 AND ${hash} IS NOT NULL`]),
    ['deleted', 'deleted IS NULL OR deleted NOT IN (0, 1)'],
  ];
  return conditions.map(([column, wrong]) => `CASE WHEN ${wrong} THEN '${column}' END`).join(', ');
}

/** Records of an account after `after` in id order, with the names of the columns whose values are invalid. */
export function recordsAfter(session: Session, account: Buffer, after: Parameter | undefined, size: number) {
  const [start, parameters] = after === undefined ? ['', [account]] : ['AND id > ?', [account, after]];
  return session.rows(
    `SELECT id, deleted, url, resolved_url, ${HASHES.join(', ')},
       CONCAT_WS(', ', ${wrongColumns(session.dialect.isLocal)}) AS wrong
     FROM articles WHERE account = ? ${start} ORDER BY id LIMIT ${size}`,
    parameters,
  );
}

/** True when a live article has the right hashes of its URLs. */
export const hasItsHashes = (row: Row): boolean =>
  ['url', 'resolved_url'].every((field) => {
    const stored = row[`${field}_hash`];
    return Buffer.isBuffer(stored) && stored.equals(urlHash(row[field] as string));
  });

/** Personal tokens with an invalid time, which might never expire. */
export async function tokensWithoutTime(session: Session) {
  const isTime = (column: string) => `COALESCE(${column} BETWEEN 0 AND ${LATEST_TIMESTAMP}, 1)`;
  const tokens = `SELECT subject, name FROM tokens WHERE NOT (${isTime('created_on')} AND ${isTime('expires_on')})`;
  return (await session.rows(tokens, [])) as { subject: string; name: string }[];
}
