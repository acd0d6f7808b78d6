import { expect, it } from 'vitest';
import { MARKS_LENGTH, newTag, tookPlace, writeMark } from '../../src/accounts/tick.js';

const mark = (timestamp: number): string => writeMark(timestamp, newTag());
/** The column after transactions at these timestamps, the latest first. */
const column = (...marks: string[]): string => marks.join('').slice(0, MARKS_LENGTH);
const OWN = mark(100);

it.each([
  ['a new account', '', false],
  ['the account before it', column(mark(99), mark(98)), false],
  ['its own mark last', column(OWN, mark(99)), true],
  ['its own mark under others', column(mark(102), mark(101), OWN), true],
  ['its own mark, the eighth', column(...[107, 106, 105, 104, 103, 102, 101].map(mark), OWN), true],
  ['a rival at the same timestamp', column(mark(100), mark(99)), false],
  ['seven later transactions and one before it', column(...[107, 106, 105, 104, 103, 102, 101, 99].map(mark)), false],
  ['eight later transactions', column(...[108, 107, 106, 105, 104, 103, 102, 101].map(mark)), undefined],
  [
    'eight transactions at its timestamp or later',
    column(...[108, 107, 106, 105, 104, 103, 102, 100].map(mark)),
    undefined,
  ],
  ['few transactions, all later', column(mark(102), mark(101)), false],
])('%s tells whether a transaction took place', (_, marks, expected) => {
  expect(tookPlace(marks, OWN)).toBe(expected);
});

it('a tag has always the same length', () => {
  expect(new Set(Array.from({ length: 100 }, () => newTag().length))).toEqual(new Set([8]));
});
