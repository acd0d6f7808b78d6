import { randomUUID } from 'node:crypto';
import type { Outcome, Session, Witness } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { addAccount, latestTimestamp, lockCollection, settleCollection } from './accounts.store.js';

/** The change in the number of live articles, and a timestamp after which the collection must not have changed. */
export type Change = { liveDelta: number; ifUnmodifiedSince?: Timestamp };

/** What a transaction does with its timestamp; `last` is the last one that it gave if it gave several. */
export type Changing<T> = (transaction: Session, timestamp: Timestamp) => Promise<Outcome<T> & { last?: Timestamp }>;

/** The most live articles that a collection may get, and what to do instead of exceeding that. */
export interface Quota<T> {
  maxLive: number;
  /** Yields the result. Runs with the account locked; what it writes is not kept. */
  whenFull: (transaction: Session) => Promise<T>;
}

const TIME_LENGTH = 16;
const TAG_LENGTH = 8;
const MARK_LENGTH = TIME_LENGTH + TAG_LENGTH;
/** The length of the column `recent_writes`: an account keeps eight marks. */
export const MARKS_LENGTH = 8 * MARK_LENGTH;

/** The random part of a mark, taken from a UUID, for which Node draws random bytes in bulk. */
export const newTag = (): string => randomUUID().slice(0, TAG_LENGTH);

/** What a transaction leaves in its account: the timestamp that it issued, and a tag that no other transaction has. */
export const writeMark = (timestamp: Timestamp, tag: string): string =>
  String(timestamp).padStart(TIME_LENGTH, '0') + tag;

/** Whether an account's marks, latest first, include a mark; undefined when enough others followed to displace it. */
export function tookPlace(marks: string, mark: string): boolean | undefined {
  for (let at = 0; at < marks.length; at += MARK_LENGTH) if (marks.startsWith(mark, at)) return true;
  const oldest = marks.slice(-MARK_LENGTH);
  const isComplete = marks.length < MARKS_LENGTH || oldest.slice(0, TIME_LENGTH) < mark.slice(0, TIME_LENGTH);
  return isComplete ? false : undefined;
}

/** Looks for the mark in the account. Only on a server: SQLite's COMMIT always tells whether it took place. */
const witnessOf =
  (account: Buffer, mark: string): Witness =>
  async (transaction: Session) => {
    const row = await transaction.row('SELECT recent_writes FROM accounts WHERE account = ? FOR UPDATE', [account]);
    return tookPlace(String(row?.recent_writes ?? ''), mark);
  };

/** Every account meets this condition. */
const ANY = Number.MAX_SAFE_INTEGER;

type Ticking = Change & { account: Buffer; now: Timestamp; maxLive?: number };
type Tick = (session: Session, tick: Ticking) => Promise<{ timestamp: Timestamp; witness?: Witness } | undefined>;

// Raw SQL: timestamps are in order because one statement locks, compares and advances. The mark comes first, as a server
// assigns one column after the other, each seeing the new values of those before it.
const ON_SERVER = `UPDATE accounts SET
    recent_writes = LEFT(CONCAT(LPAD(GREATEST(last_modified + 1, ?), ${TIME_LENGTH}, '0'), ?, COALESCE(recent_writes, '')), ${MARKS_LENGTH}),
    live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?))
  WHERE account = ? AND last_modified <= ? AND live_count < ?`;

const IN_FILE = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) WHERE last_modified <= ? AND live_count < ?
  RETURNING last_modified`;

/** `tick` on MySQL and MariaDB, and on SQLite. */
export const TICKS: Record<'server' | 'file', Tick> = {
  server: async (session, { account, now, liveDelta, ifUnmodifiedSince = ANY, maxLive = ANY }) => {
    const tag = newTag();
    const parameters = [now, tag, liveDelta, now, account, ifUnmodifiedSince, maxLive];
    let { insertId } = await session.run(ON_SERVER, parameters);
    if (insertId === 0) {
      const isNew = !(await lockCollection(session, account));
      if (isNew) await addAccount(session, { account, last_modified: now - 1, live_count: 0, purged_until: now - 1 });
      // Once it is locked, it may meet the conditions.
      ({ insertId } = await session.run(ON_SERVER, parameters));
    }
    return insertId === 0 ? undefined : { timestamp: insertId, witness: witnessOf(account, writeMark(insertId, tag)) };
  },
  file: async (session, { account, now, liveDelta, ifUnmodifiedSince = ANY, maxLive = ANY }) => {
    const [row] = await session.rows(IN_FILE, [account, now, liveDelta, now - 1, ifUnmodifiedSince, maxLive]);
    return row && { timestamp: row.last_modified as Timestamp };
  },
};

/**
 * Locks the account for the rest of the transaction, advances its clock and leaves a mark of the transaction; undefined
 * if it has changed, or has `maxLive` articles. A new account counts as purged up to now: it may have been erased or lost.
 */
export const tick: Tick = (session, change) => TICKS[session.dialect.isLocal ? 'file' : 'server'](session, change);

/** Like `settleCollection`, with a mark: for the end of a transaction that locked the account without `tick`. */
export async function settle(session: Session, account: Buffer, last: Timestamp, liveDelta: number) {
  if (session.dialect.isLocal) return void (await settleCollection(session, account, last, liveDelta));
  const mark = writeMark(last, newTag());
  const sql = `UPDATE accounts SET last_modified = ?, live_count = live_count + ?,
    recent_writes = LEFT(CONCAT(?, COALESCE(recent_writes, '')), ${MARKS_LENGTH}) WHERE account = ?`;
  await session.run(sql, [last, liveDelta, mark, account]);
  return witnessOf(account, mark);
}

/** True when an article has the timestamp already: the clock is behind the articles, as in a torn backup. */
export const isTimestampTaken = ({ dialect }: Session, error: unknown): boolean =>
  dialect.classify(error) === 'duplicate' && /last_modified'?$/.test((error as Error).message);

/** The outcome of `work`, which gets a timestamp above all articles if the first one is taken. */
export async function withFreeTimestamp<T>(session: Session, account: Buffer, timestamp: Timestamp, work: Changing<T>) {
  try {
    return { last: timestamp, ...(await work(session, timestamp)) };
  } catch (error) {
    if (!isTimestampTaken(session, error)) throw error;
    const free = Math.ceil(await latestTimestamp(session, account)) + 1;
    await settleCollection(session, account, free, 0);
    return { last: free, ...(await work(session, free)) };
  }
}
