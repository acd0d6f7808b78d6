import type { QueryError } from 'mysql2';
import type { Dialect, Failure } from '../session.js';

const isOn = (variable: string): string => `CAST(@@global.${variable} AS CHAR) NOT IN ('0', 'OFF')`;

/** MySQL 8.4+ and MariaDB 10.6+. */
export const mysqlDialect: Dialect = {
  isLocal: false,
  indexHint: (index) => ` FORCE INDEX (${index})`,
  classify,
  // An Aurora reader may set only the second one.
  isReadOnly: `(${isOn('read_only')} OR ${isOn('innodb_read_only')})`,
};

/** What the service was doing when an error came. */
export type Stage = 'connect' | 'begin' | 'statement' | 'commit' | 'rollback';

/** An error of the driver, with the stage that the session adds. */
export type DriverError = Partial<QueryError> & { stage?: Stage };

/**
 * The error numbers of MySQL 8.4 and 9, MariaDB 10.6 to 11.8, Galera, Group Replication (1180, 3100, 3101, 3796 to 3798,
 * 4094, 6400), Aurora (1290, 1874), MySQL Router (2003, 3566), Vitess (1105, 3168, 1815), TiDB (8xxx, 9xxx) and ProxySQL
 * (9xxx). What an unknown number means depends on the stage, see `classify`.
 */
const NUMBERS: Record<Failure, readonly number[]> = {
  duplicate: [1062, 1169],
  // Deadlock, lock wait, changed record, certification, lock table full, NOWAIT; TiDB: write conflicts and schema changes.
  retry: [1020, 1205, 1206, 1213, 3101, 3572, 8002, 8005, 8022, 8028, 9004, 9007],
  slow: [1028, 1317, 1969, 3024, 8229],
  // The connection broke, or the server or node went away: what it was doing may be done.
  lost: [
    1047, 1053, 1078, 1080, 1105, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1815, 1927, 3100, 3168, 4031, 8027, 9001,
    9002, 9005, 9006,
  ],
  // Connection limits, access, read-only, no space, no schema, limits on the size of a statement, an entry or a
  // transaction, a node that changes its role: not done, and time or the operator helps.
  away: [
    1021, 1037, 1038, 1040, 1041, 1044, 1045, 1049, 1114, 1129, 1130, 1135, 1142, 1146, 1153, 1203, 1207, 1226, 1290,
    1792, 1836, 1874, 2002, 2003, 3032, 3159, 3566, 3796, 3797, 3798, 4094, 6400, 8001, 8004, 8025, 8120, 8252, 9003,
    9008, 9010, 9500,
  ],
  broken: [],
  // Numbers from 2000 on that are of a statement all the same: no primary key, a violated CHECK.
  bug: [3098, 3819, 4025],
};
const BY_NUMBER = new Map(
  Object.entries(NUMBERS).flatMap(([failure, numbers]) => numbers.map((number) => [number, failure as Failure])),
);

const LOST_CODES = new Set(['PROTOCOL_CONNECTION_LOST', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOENT']);

/**
 * What an error of MySQL, MariaDB or what speaks for them means. A number that is not in the table is `away` while
 * connecting and at BEGIN, as nothing has been done; `lost` at COMMIT, as that may have happened; and for a statement a
 * `bug` only below 2000, where the numbers of the server's own statements are.
 */
export function classify(error: unknown): Failure {
  const { errno = 0, code = '', fatal, message = '', stage = 'statement' } = error as DriverError;
  if (code === 'PROTOCOL_SEQUENCE_TIMEOUT') return 'slow';
  // Group Replication has rolled the transaction back already: "Got error 149 - 'Lock deadlock; Retry transaction'".
  if (errno === 1180 && message.includes('error 149')) return 'retry';
  const known = BY_NUMBER.get(errno);
  // ProxySQL's own numbers, some of them TiDB's as well; the session was refused or ended by the proxy. 9002 and 9006 mean
  // a lost connection to ProxySQL, and a refused one while connecting; 9007 is a conflict for TiDB.
  if (errno > 9_000 && errno <= 9_020) {
    if (stage === 'connect' || !known) return 'away';
    return stage === 'commit' && known !== 'away' ? 'lost' : known;
  }
  if (known) return known;
  if (fatal || errno < 0 || LOST_CODES.has(code) || stage === 'commit') return 'lost';
  // Without a number it is an error of our own.
  return errno === 0 || (stage === 'statement' && errno < 2_000) ? 'bug' : 'away';
}
