import { expect, it } from 'vitest';
import { isUsableTimestamp, MAX_TIMESTAMP } from '../../src/protocol/timestamp.js';

it.each([
  [0, true],
  [MAX_TIMESTAMP, true],
  [MAX_TIMESTAMP + 1, false],
  [-1, false],
  [0.5, false],
  [NaN, false],
  ['5', false],
  [null, false],
])('%s is a time that a clock can go on from: %s', (value, expected) => {
  expect(isUsableTimestamp(value)).toBe(expected);
});
