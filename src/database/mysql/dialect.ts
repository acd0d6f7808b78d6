import type { Dialect } from '../session.js';
import { classify } from './failures.js';

const isOn = (variable: string): string => `CAST(@@global.${variable} AS CHAR) NOT IN ('0', 'OFF')`;

/** MySQL 8+ and MariaDB 10.6+. */
export const mysqlDialect: Dialect = {
  begin: 'START TRANSACTION',
  isLocal: false,
  indexHint: (index) => ` FORCE INDEX (${index})`,
  classify,
  // A reader of Aurora may have the second one only.
  isReadOnly: `(${isOn('read_only')} OR ${isOn('innodb_read_only')})`,
};
