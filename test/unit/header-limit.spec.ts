import { expect, it } from 'vitest';
import { hasTooManyHeaders, MAX_HEADERS } from '../../src/protocol/request-headers.js';

it.each([
  [0, false],
  [MAX_HEADERS, false],
  [MAX_HEADERS + 1, true],
])('of %i headers it says that they are too many: %s', (count, expected) => {
  const rawHeaders = Array.from({ length: count }, () => ['X-Tag', 'a']).flat();
  expect(hasTooManyHeaders({ rawHeaders })).toBe(expected);
});
