import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A request for the next timestamp of an account. */
export interface ClockTick {
  account: Buffer;
  now: Timestamp;
  liveDelta: number;
  /** Issue none if the account changed after this timestamp. */
  ifUnmodifiedSince?: Timestamp;
}

type Tick = (session: Session, tick: ClockTick) => Promise<Timestamp | undefined>;

// Raw SQL: the order of timestamps and all conditions on the collection rely on one statement that locks, compares and
// advances.
const ON_SERVER = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?))`;

/** Yields 0 instead of a timestamp, and changes nothing, if the account changed after `ifUnmodifiedSince`. */
const ON_SERVER_IF_UNMODIFIED = `INSERT INTO accounts (account, last_modified, live_count, purged_until)
    VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + IF(last_modified <= ?, ?, 0),
    last_modified = IF(last_modified <= ?, LAST_INSERT_ID(GREATEST(last_modified + 1, ?)),
      last_modified + 0 * LAST_INSERT_ID(0))`;

const IN_FILE = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) WHERE last_modified <= ?
  RETURNING last_modified`;

/** One implementation for MySQL and MariaDB, one for SQLite. */
export const TICKS: Record<'server' | 'file', Tick> = {
  server: async (session, { account, now, liveDelta, ifUnmodifiedSince: limit }) => {
    const { insertId } =
      limit === undefined
        ? await session.run(ON_SERVER, [account, now, liveDelta, now - 1, liveDelta, now])
        : await session.run(ON_SERVER_IF_UNMODIFIED, [account, now, liveDelta, now - 1, limit, liveDelta, limit, now]);
    return insertId === 0 ? undefined : insertId;
  },
  file: async (session, { account, now, liveDelta, ifUnmodifiedSince }) => {
    const limit = ifUnmodifiedSince ?? Number.MAX_SAFE_INTEGER;
    const [row] = await session.rows(IN_FILE, [account, now, liveDelta, now - 1, limit]);
    return row?.last_modified as Timestamp | undefined;
  },
};

/**
 * Locks the account for the rest of the transaction and advances its clock; undefined if the account changed after
 * `ifUnmodifiedSince`. A new account counts as purged up to now: it may have existed before and been erased or lost.
 */
export const tick: Tick = (session, change) =>
  TICKS[session.dataSource.options.type === 'better-sqlite3' ? 'file' : 'server'](session, change);
