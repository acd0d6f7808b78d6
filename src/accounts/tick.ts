import type { Witness } from '../database/outcome.js';
import type { Dialect, Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { MARKS_LENGTH, newTag, witnessOf, writeMark } from './write-mark.js';

/** A request for the next timestamp of an account. */
export interface ClockTick {
  account: Buffer;
  now: Timestamp;
  liveDelta: number;
  /** Issue none if the account changed after this timestamp. */
  ifUnmodifiedSince?: Timestamp;
}

/** What a transaction got: its timestamp, and how to find out whether it took place if the reply to COMMIT is lost. */
export interface Ticked {
  timestamp: Timestamp;
  witness?: Witness;
}

type Tick = (session: Session, tick: ClockTick) => Promise<Ticked | undefined>;

// Raw SQL: the order of timestamps and all conditions on the collection rely on one statement that locks, compares and
// advances. The mark is made of the timestamp that was set just before it.
const COLUMNS = 'account, last_modified, live_count, purged_until, recent_writes';
const MARKED = `recent_writes = LEFT(CONCAT(LPAD(last_modified, 16, '0'), ?, COALESCE(recent_writes, '')), ${MARKS_LENGTH})`;
const ON_SERVER = `INSERT INTO accounts (${COLUMNS}) VALUES (?, LAST_INSERT_ID(?), ?, ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?)),
    ${MARKED}`;

/** Yields 0 instead of a timestamp, and leaves clock and count, if the account changed after `ifUnmodifiedSince`. */
const ON_SERVER_IF_UNMODIFIED = `INSERT INTO accounts (${COLUMNS}) VALUES (?, LAST_INSERT_ID(?), ?, ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + IF(last_modified <= ?, ?, 0),
    last_modified = IF(last_modified <= ?, LAST_INSERT_ID(GREATEST(last_modified + 1, ?)),
      last_modified + 0 * LAST_INSERT_ID(0)),
    ${MARKED}`;

const IN_FILE = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) WHERE last_modified <= ?
  RETURNING last_modified`;

/** One implementation for MySQL and MariaDB, one for SQLite. */
export const TICKS: Record<'server' | 'file', Tick> = {
  server: async (session, { account, now, liveDelta, ifUnmodifiedSince: limit }) => {
    const tag = newTag();
    const added = [account, now, liveDelta, now - 1, writeMark(now, tag)];
    const { insertId } =
      limit === undefined
        ? await session.run(ON_SERVER, [...added, liveDelta, now, tag])
        : await session.run(ON_SERVER_IF_UNMODIFIED, [...added, limit, liveDelta, limit, now, tag]);
    if (insertId === 0) return undefined;
    return { timestamp: insertId, witness: witnessOf(account, writeMark(insertId, tag)) };
  },
  file: async (session, { account, now, liveDelta, ifUnmodifiedSince }) => {
    const limit = ifUnmodifiedSince ?? Number.MAX_SAFE_INTEGER;
    const [row] = await session.rows(IN_FILE, [account, now, liveDelta, now - 1, limit]);
    return row && { timestamp: row.last_modified as Timestamp };
  },
};

/**
 * Locks the account for the rest of the transaction, advances its clock and leaves a mark of the transaction; undefined
 * if the account changed after `ifUnmodifiedSince`. A new account counts as purged up to now: it may have existed before
 * and been erased or lost.
 */
export const tick: Tick = (session, change) =>
  TICKS[session.dataSource.options.type === 'better-sqlite3' ? 'file' : 'server'](session, change);

/** True when an article has the timestamp already: the clock is behind the articles, as in a torn backup. */
export const isTimestampTaken = (dialect: Dialect, error: unknown): boolean =>
  dialect.classify(error) === 'duplicate' && /last_modified'?$/.test((error as Error).message);
