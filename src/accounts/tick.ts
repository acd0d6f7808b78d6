import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A new timestamp is to be given out: to whom, when, and what becomes of the number of live articles. */
export interface ClockTick {
  account: Buffer;
  now: Timestamp;
  liveDelta: number;
  /** Give none out when the account changed after this timestamp. */
  ifUnmodifiedSince?: Timestamp;
}

type Tick = (session: Session, tick: ClockTick) => Promise<Timestamp | undefined>;

// Text: on one statement that locks, compares and advances rest the order of timestamps and every condition on the collection.
const ON_SERVER = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?))`;

/** Gives out 0 instead of a timestamp, and changes nothing, when the account changed after the third `?`. */
const ON_SERVER_IF_UNMODIFIED = `INSERT INTO accounts (account, last_modified, live_count, purged_until)
    VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + IF(last_modified <= ?, ?, 0),
    last_modified = IF(last_modified <= ?, LAST_INSERT_ID(GREATEST(last_modified + 1, ?)),
      last_modified + 0 * LAST_INSERT_ID(0))`;

const IN_FILE = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET live_count = live_count + excluded.live_count,
    last_modified = max(last_modified + 1, excluded.last_modified) WHERE last_modified <= ?
  RETURNING last_modified`;

/** How each kind of database does it: MySQL and MariaDB, and SQLite. */
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
 * Locks the account for the rest of the transaction and advances its clock; undefined when `ifUnmodifiedSince` forbids it. A new
 * account is one whose tombstones are gone up to now: it may have been there before, and been erased or lost.
 */
export const tick: Tick = (session, change) =>
  TICKS[session.dataSource.options.type === 'better-sqlite3' ? 'file' : 'server'](session, change);
