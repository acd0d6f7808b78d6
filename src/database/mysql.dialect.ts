import type { ClockTick, Dialect, Failure, Session } from './session.js';

/** Deadlock, lock wait, changed record, certification conflict: the transaction is undone and may run again. */
const RETRY = new Set([1213, 1205, 1020, 3101]);
/** Interrupted, shutting down, node not ready, error during commit, killed: what became of the statement is unknown. */
const LOST = new Set([1047, 1053, 1180, 1317, 1927, 1969, 3024]);
/** Connection limits, access, read-only, disk full, missing schema, and other states only an operator can change. */
const AWAY = new Set([
  1021, 1037, 1038, 1040, 1041, 1044, 1045, 1049, 1114, 1142, 1146, 1203, 1226, 1290, 1792, 1836, 2002, 2003, 3024,
]);
const LOST_CODES = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

const TICK = `INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + ?, last_modified = LAST_INSERT_ID(GREATEST(last_modified + 1, ?))`;

/** Gives out 0 instead of a timestamp, and changes nothing, when the account changed after the third `?`. */
const TICK_IF_UNMODIFIED = `INSERT INTO accounts (account, last_modified, live_count, purged_until)
    VALUES (?, LAST_INSERT_ID(?), ?, ?)
  ON DUPLICATE KEY UPDATE live_count = live_count + IF(last_modified <= ?, ?, 0),
    last_modified = IF(last_modified <= ?, LAST_INSERT_ID(GREATEST(last_modified + 1, ?)),
      last_modified + 0 * LAST_INSERT_ID(0))`;

async function tick(session: Session, { account, now, liveDelta, ifUnmodifiedSince: limit }: ClockTick) {
  const { insertId } =
    limit === undefined
      ? await session.run(TICK, [account, now, liveDelta, now - 1, liveDelta, now])
      : await session.run(TICK_IF_UNMODIFIED, [account, now, liveDelta, now - 1, limit, liveDelta, limit, now]);
  return insertId === 0 ? undefined : insertId;
}

function classify(error: unknown): Failure {
  const { errno, code, fatal } = error as { errno?: number; code?: string; fatal?: boolean };
  if (errno === 1062) return 'duplicate';
  if (errno !== undefined && RETRY.has(errno)) return 'retry';
  if (errno !== undefined && LOST.has(errno)) return 'lost';
  if (errno !== undefined && AWAY.has(errno)) return 'away';
  return fatal || (code !== undefined && LOST_CODES.has(code)) ? 'lost' : 'bug';
}

/** MySQL 8+ and MariaDB 10.6+. */
export const mysqlDialect: Dialect = {
  begin: 'START TRANSACTION',
  tick,
  insertAccount: 'INSERT IGNORE INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, 0, ?)',
  indexHint: (index) => ` FORCE INDEX (${index})`,
  classify,
};
