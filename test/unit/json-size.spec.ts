import { describe, expect, it } from 'vitest';
import { isTooComplex } from '../../src/protocol/json-size.js';

const MAX_VALUES = 200_000;
const MAX_DEPTH = 10_000;

describe('a JSON text', () => {
  it.each([
    ['elements', MAX_VALUES, (count: number) => `[${'1,'.repeat(count - 1)}1]`],
    ['arrays beside each other', MAX_VALUES / 2, (count: number) => '[],'.repeat(count)],
    ['nested arrays', MAX_DEPTH, (count: number) => '['.repeat(count) + ']'.repeat(count)],
    ['nested objects', MAX_DEPTH, (count: number) => '{"a":'.repeat(count) + '1' + '}'.repeat(count)],
  ])('may have so many %s, but not one more', (_what, most, text) => {
    expect([isTooComplex(text(most)), isTooComplex(text(most + 1))]).toEqual([false, true]);
  });

  it('that is short is never too complex', () => {
    expect(isTooComplex('['.repeat(MAX_DEPTH))).toBe(false);
  });

  it.each([
    ['commas and brackets', ',[{'],
    ['escaped quotes', '\\",'],
    ['escaped back-slashes', '\\\\,'],
  ])('may have any number of %s in a string', (_what, piece) => {
    const excerpt = piece.repeat(MAX_VALUES);
    expect(isTooComplex(`{"excerpt":"${excerpt}"}`)).toBe(false);
    expect(isTooComplex(`{"excerpt":"${excerpt}"${','.repeat(MAX_VALUES)}}`)).toBe(true);
  });
});
