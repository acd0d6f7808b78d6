import type { Driver, EntityMetadata, Table, TableColumn } from 'typeorm';
import { addAccount, type Collection, lockCollection } from '../../accounts/accounts.store.js';
import { isTaken } from '../../articles/store/articles.store.js';
import { listTokens } from '../../auth/tokens/personal-tokens.store.js';
import type { Database } from '../../database/database.js';
import type { Token } from '../../database/entities/token.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import { committed, type Parameter, type Row } from '../../database/session.js';
import { isUsableTimestamp, type Timestamp } from '../../protocol/timestamp.js';
import { uuidText } from '../../protocol/uuid.js';
import { hasItsHashes, recordsAfter, type Totals, totalsOf, updateAccount } from './records.store.js';

const AT_ONCE = 500;

/** Something wrong with an account's data, or with the database as a whole. */
export interface Problem {
  /** May name records and numbers but no content. */
  text: string;
  advice: string;
  repair?: () => Promise<void>;
  isBlocking?: boolean;
}

/** The problems of an account: of its row, which can be repaired, and of its records, which are left to a person. */
export async function examineAccount(database: Database, account: Buffer, now: () => Timestamp): Promise<Problem[]> {
  const totals = await database.onSession((session) => totalsOf(session, account));
  const repair = () =>
    database.inTransaction(async (transaction) => {
      // There may be records without an account.
      await addAccount(transaction, { account, last_modified: now(), live_count: 0, purged_until: now() });
      await lockCollection(transaction, account);
      const right = rightRow(await totalsOf(transaction, account), now());
      return committed(await updateAccount(transaction, account, right));
    });
  const problems = [...problemsOfTotals(totals)].map((text) => ({ text, advice: 'run with --repair', repair }));
  return [...problems, ...(await problemsOfRecords(database, account))];
}

function rightRow({ last_modified, purged_until, newest, live: live_count }: Totals, now: Timestamp): Collection {
  const latest = Math.max(isUsableTimestamp(last_modified) ? last_modified : 0, Math.ceil(newest ?? 0));
  if (isUsableTimestamp(last_modified) && isUsableTimestamp(purged_until) && purged_until <= latest)
    return { last_modified: latest, purged_until, live_count };
  // All devices have to start over, because what they have been told is unknown.
  const restart = Math.max(now, latest + 1);
  return { last_modified: restart, purged_until: restart, live_count };
}

function* problemsOfTotals({ last_modified, live_count, purged_until, records, newest, live }: Totals) {
  if (last_modified === null && records > 0) yield 'there are records without an account';
  if (last_modified === null) return;
  if (!isUsableTimestamp(last_modified)) yield `the clock (${shown(last_modified)}) is not a timestamp`;
  else if (newest !== null && newest > last_modified)
    yield `the clock (${last_modified}) is behind the latest record (${newest})`;
  else if (!isUsableTimestamp(purged_until) || purged_until > last_modified)
    yield `purged_until (${shown(purged_until)}) is not a timestamp at or before the clock (${last_modified})`;
  if (live_count !== live) yield `the count of articles is ${shown(live_count)}, but there are ${live}`;
}

/** Shows a number, but no other content. */
const shown = (value: Row[string]): string =>
  typeof value === 'number' || /^-?\d+$/.test(String(value)) ? String(value) : 'not a number';

async function problemsOfRecords(database: Database, account: Buffer): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (let after: Parameter | undefined; ;) {
    const records = await database.onSession((session) => recordsAfter(session, account, after, AT_ONCE));
    for (const record of records) {
      if (record.wrong !== '') problems.push(problemOfValues(account, record));
      else if (record.deleted === 0 && !hasItsHashes(record))
        problems.push(await problemOfHashes(database, account, record));
    }
    if (records.length < AT_ONCE) return problems;
    after = records.at(-1)!.id!;
  }
}

/** Nobody but a device knows what a record should say. */
function problemOfValues(account: Buffer, row: Row): Problem {
  const { id, wrong } = row as Row & { wrong: string };
  const isTombstone = row.deleted === 1;
  const name = Buffer.isBuffer(id) && id.length === 16 ? uuidText(id) : `with the key x'${digits(id!)}'`;
  const text = `${isTombstone ? 'tombstone' : 'article'} ${name}: invalid values in ${wrong}`;
  if (!isTombstone && !/\b(id|deleted)\b/.test(wrong))
    return { text, advice: 'delete it through the API, or restore it from a backup' };
  const where = `account = x'${account.toString('hex')}' AND HEX(id) = '${digits(id!).toUpperCase()}'`;
  const statement =
    isTombstone && !/\b(id|last_modified)\b/.test(wrong)
      ? `UPDATE articles SET ${wrong.replaceAll(/\w+/g, '$& = NULL')} WHERE ${where}`
      : `DELETE FROM articles WHERE ${where}`;
  return { text, advice: `restore a backup, or: ${statement}` };
}

async function problemOfHashes(database: Database, account: Buffer, row: Row): Promise<Problem> {
  const id = uuidText(row.id as Buffer);
  const article = { id, url: row.url as string, resolved_url: row.resolved_url as string };
  const isDuplicate = await database.onSession((session) => isTaken(session, account, article));
  const [what, advice] = isDuplicate
    ? ['duplicates the URL of another article', 'delete one of them through the API']
    : ['has a hash that does not match its URL', 'delete it through the API and save it again'];
  return { text: `article ${id} ${what}`, advice };
}

/** As `HEX` writes them, for any type that SQLite may have in the column. */
const digits = (id: Row[string]): string => (Buffer.isBuffer(id) ? id : Buffer.from(String(id))).toString('hex');

/** True for a token that might never expire. The next use overwrites a damaged time of the last one. */
export const isDamaged = ({ created_on, expires_on }: Token): boolean =>
  [created_on, expires_on].some((time) => time !== null && !isUsableTimestamp(time));

/** Finds tokens whose expiry is unknown. */
export async function examineTokens(database: Database): Promise<Problem[]> {
  const tokens = await database.onSession((session) => listTokens(session));
  return tokens.filter(isDamaged).map(({ subject, name }) => ({
    text: `the token "${name}" of ${subject} has an invalid time`,
    advice: `run token revoke ${subject} --name "${name}", and create another`,
  }));
}

const missing = (what: string) => ({ text: `${what} is missing`, isBlocking: true, advice: 'restore a backup' });
const INTO_NEW = 'export all users ("user export --all") and import them into a new database';

/** How the schema, as TypeORM reads it, differs from the entities, which match the migrations. */
export const examineSchema = (database: Database): Promise<Problem[]> =>
  database.onSession(async (session) => {
    const { driver, entityMetadatas } = session.dataSource;
    const tables = await managerOn(session).queryRunner!.getTables(entityMetadatas.map(({ tableName }) => tableName));
    return entityMetadatas.flatMap((entity) => {
      const table = tables.find(({ name }) => name === entity.tableName);
      if (!table) return [missing(`the table ${entity.tableName}`)];
      return [...problemsOfColumns(entity, table, driver), ...problemsOfKeys(entity, table)];
    });
  });

type Column = EntityMetadata['columns'][number];

function* problemsOfColumns({ tableName, columns }: EntityMetadata, table: Table, driver: Driver) {
  const typeOf = (column: Column | TableColumn) => {
    const length = driver.getColumnLength(column as Column);
    return length ? `${String(column.type)}(${length})` : String(column.type);
  };
  for (const column of columns) {
    const found = table.findColumnByName(column.databaseName);
    const name = `the column ${tableName}.${column.databaseName}`;
    if (!found) yield missing(name);
    else if (typeOf(found) !== typeOf(column))
      yield { text: `${name} is ${typeOf(found)} but must be ${typeOf(column)}`, advice: INTO_NEW };
  }
}

function* problemsOfKeys({ tableName, primaryColumns, indices }: EntityMetadata, table: Table) {
  const primary = primaryColumns.map(({ databaseName }) => databaseName);
  const present = table.primaryColumns.map(({ name }) => name);
  if (!isSame(present, primary))
    yield { text: `the primary key of ${tableName} is not (${primary.join(', ')})`, advice: INTO_NEW };
  for (const { name, columns, isUnique } of indices) {
    const wanted = columns.map(({ databaseName }) => databaseName);
    const found = table.indices.find((index) => index.name === name);
    if (found?.isUnique === isUnique && isSame(found.columnNames, wanted)) continue;
    const kind = isUnique ? 'unique index' : 'index';
    const statement = `CREATE ${kind.toUpperCase()} ${name} ON ${tableName} (${wanted.join(', ')})`;
    yield {
      text: `the ${kind} ${name} of ${tableName} ${found ? 'differs from what it should be' : 'is missing'}`,
      advice: `${found ? 'drop it, then' : 'run'}: ${statement}`,
    };
  }
}

/** Whether two keys have the same columns, which TypeORM reads in no certain order. */
const isSame = (found: readonly string[], wanted: readonly string[]): boolean =>
  found.toSorted().join() === wanted.toSorted().join();
