import type { Dialect, Failure } from '../session.js';

/**
 * Deadlock, lock wait timeout, changed record, certification conflict: the transaction was rolled back and may be
 * retried.
 */
const RETRY = new Set([1213, 1205, 1020, 3101]);
/** The statement exceeded its time limit or was killed. */
const SLOW = new Set([1317, 1969, 3024]);
/** Shutting down, node not ready, error during commit, connection killed: the outcome of the statement is unknown. */
const LOST = new Set([1047, 1053, 1180, 1927]);
/**
 * Connection limits, access, read-only, disk full, missing schema, and other conditions that only an operator can fix.
 */
const AWAY = new Set([
  1021, 1037, 1038, 1040, 1041, 1044, 1045, 1049, 1114, 1142, 1146, 1203, 1226, 1290, 1792, 1836, 2002, 2003,
]);
const LOST_CODES = new Set([
  'PROTOCOL_CONNECTION_LOST',
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

function classify(error: unknown): Failure {
  const { errno, code, fatal } = error as { errno?: number; code?: string; fatal?: boolean };
  if (errno === 1062) return 'duplicate';
  if (errno !== undefined && RETRY.has(errno)) return 'retry';
  if (code === 'PROTOCOL_SEQUENCE_TIMEOUT' || (errno !== undefined && SLOW.has(errno))) return 'slow';
  if (errno !== undefined && LOST.has(errno)) return 'lost';
  if (errno !== undefined && AWAY.has(errno)) return 'away';
  return fatal || (code !== undefined && LOST_CODES.has(code)) ? 'lost' : 'bug';
}

/** MySQL 8+ and MariaDB 10.6+. */
export const mysqlDialect: Dialect = {
  begin: 'START TRANSACTION',
  isLocal: false,
  indexHint: (index) => ` FORCE INDEX (${index})`,
  classify,
  isReadOnly: "CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF')",
};
