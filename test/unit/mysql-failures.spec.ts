import { describe, expect, it } from 'vitest';
import { classify, type DriverError, type Stage } from '../../src/database/mysql/dialect.js';
import type { Failure } from '../../src/database/session.js';

const numbers: [Failure, number[]][] = [
  ['duplicate', [1062, 1169]],
  ['retry', [1020, 1205, 1206, 1213, 3101, 3572, 8002, 8005, 8022, 8028, 9004, 9007]],
  ['slow', [1028, 1317, 1969, 3024, 8229]],
  ['lost', [1047, 1053, 1078, 1080, 1105, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1815, 1927]],
  ['lost', [3100, 3168, 4031, 8027, 9001, 9002, 9005, 9006]],
  ['away', [1021, 1037, 1038, 1040, 1041, 1044, 1045, 1049, 1114, 1129, 1130, 1135, 1142, 1146]],
  ['away', [1203, 1207, 1226, 1290, 1792, 1836, 1874, 2002, 2003, 3032, 3159, 3566, 3796, 3797, 3798]],
  ['away', [1153, 4094, 6400, 8001, 8004, 8025, 8120, 8252, 9003, 9008, 9010, 9012, 9020, 9500]],
  ['bug', [1054, 1064, 1193, 1264, 1366, 1406, 3098, 3819, 4025]],
];

describe.each(numbers)('an error of a statement is %s', (failure, errnos) => {
  it.each(errnos)('for %i', (errno) => {
    expect(classify({ errno, code: 'ER_SOMETHING' })).toBe(failure);
  });
});

describe.each<[Stage, Failure, number[]]>([
  ['connect', 'away', [1999, 2999, 3999, 7777, 9001, 9002, 9006, 9007, 12_345]],
  ['begin', 'away', [1999, 2999, 3999, 7777, 12_345]],
  ['begin', 'retry', [1213, 9007]],
  ['statement', 'bug', [1000, 1999]],
  ['statement', 'away', [2000, 2999, 3999, 7777, 12_345]],
  ['commit', 'lost', [1000, 1999, 3999, 7777, 12_345, 9002, 9007]],
  ['commit', 'retry', [1213, 3101]],
  ['commit', 'away', [1290, 4094]],
])('at %s an error is %s', (stage, failure, errnos) => {
  it.each(errnos)('for %i', (errno) => {
    expect(classify({ errno, code: 'ER_SOMETHING', stage })).toBe(failure);
  });
});

it.each<[string, DriverError, Failure]>([
  [
    'a transaction that Group Replication rolled back',
    { errno: 1180, message: "Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT", stage: 'commit' },
    'retry',
  ],
  ['another error during COMMIT', { errno: 1180, message: 'Got error 5 during COMMIT', stage: 'commit' }, 'lost'],
  ['a statement without a response', { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }, 'slow'],
  ['a closed connection', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, 'lost'],
  ['a connection that is used after its end', { fatal: true }, 'lost'],
  ['a TLS handshake that failed', { code: 'HANDSHAKE_SSL_ERROR', fatal: true, stage: 'connect' }, 'lost'],
  ['a refused connection', { errno: -111, code: 'ECONNREFUSED', stage: 'connect' }, 'lost'],
  ['any error of the operating system', { errno: -112, code: 'EHOSTDOWN' }, 'lost'],
  ['a missing socket', { code: 'ENOENT' }, 'lost'],
  ['our own mistake', new TypeError('x is not a function'), 'bug'],
])('%s is classified', (_, error, failure) => {
  expect(classify(error)).toBe(failure);
});
