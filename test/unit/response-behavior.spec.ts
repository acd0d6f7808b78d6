import { expect, it } from 'vitest';
import { readResponseBehavior } from '../../src/protocol/request-headers.js';

it.each([
  [undefined, 'full'],
  ['', 'full'],
  ['full', 'full'],
  ['light', 'light'],
  ['LIGHT', 'light'],
  [' Light ', 'light'],
  ['diff', 'diff'],
  ['DiFf', 'diff'],
  ['lite', 'full'],
  ['light, diff', 'full'],
  ['constructor', 'full'],
  [['light', 'diff'], 'full'],
])('%j means %s', (header, behavior) => {
  expect(readResponseBehavior(header)).toBe(behavior);
});
