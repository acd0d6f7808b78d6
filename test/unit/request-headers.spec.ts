import { expect, it } from 'vitest';
import { isContinue } from '../../src/protocol/request-headers.js';

it.each([
  ['100-continue', true],
  ['100-Continue', true],
  ['', false],
  ['100-continue, x', false],
  ['200-ok', false],
])('the expectation %j is known: %s', (value, isKnown) => {
  expect(isContinue(value)).toBe(isKnown);
});
