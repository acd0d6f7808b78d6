import { expect, it } from 'vitest';
import { nextTimestamp } from '../../src/protocol/timestamp.js';

it.each([
  ['the present time', 1000, 2000, 2000],
  ['one more than the previous one when two changes share a millisecond', 2000, 2000, 2001],
  ['one more than the previous one when the clock stands before it', 5000, 2000, 5001],
  ['the present time when it is one ahead', 1999, 2000, 2000],
])('is %s', (_, previous, now, next) => {
  expect(nextTimestamp(previous, now)).toBe(next);
});
