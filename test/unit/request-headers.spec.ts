import { expect, it } from 'vitest';
import { hasTooManyHeaders, isContinue, MAX_HEADERS } from '../../src/protocol/request-headers.js';

it.each([
  [0, false],
  [MAX_HEADERS, false],
  [MAX_HEADERS + 1, true],
])('of %i headers it says that they are too many: %s', (count, expected) => {
  const rawHeaders = Array.from({ length: count }, () => ['X-Tag', 'a']).flat();
  expect(hasTooManyHeaders({ rawHeaders })).toBe(expected);
});

it.each([
  ['100-continue', true],
  ['100-Continue', true],
  ['', false],
  ['100-continue, x', false],
  ['200-ok', false],
])('the expectation %j is known: %s', (value, isKnown) => {
  expect(isContinue(value)).toBe(isKnown);
});
