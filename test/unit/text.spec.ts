import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCodePoints, isLongerThan, strip } from '../../src/protocol/field-values.js';
import { growthOf } from '../support/growth.js';

describe('strip', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    [' a ', 'a'],
    ['\t\r\n a \n\r\t', 'a'],
    ['a b\tc\nd', 'a b\tc\nd'],
    [' \t\r\n ', ''],
    ['\u00a0a\u00a0', '\u00a0a\u00a0'],
    ['\u000ba\u000c', '\u000ba\u000c'],
    ['\ufeffa\u2028', '\ufeffa\u2028'],
  ])('makes %j %j', (text, stripped) => {
    expect(strip(text)).toBe(stripped);
  });

  it('cuts what a regular expression would cut', () => {
    const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n', 'x', '\u00a0', '😀') });
    fc.assert(fc.property(blanks, (text) => strip(text) === text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')));
  });

  it('is linear in a text that is all blanks', () => {
    expect(growthOf(strip, (length) => `x${' '.repeat(length)}x`, 24_000)).toBeLessThan(1.5);
  });
});

it('firstCodePoints cuts by code points', () => {
  const wellFormed = fc.string({ unit: fc.constantFrom('a', 'ä', '😀', '\ufffd') });
  fc.assert(
    fc.property(wellFormed, fc.nat(12), (text, max) => firstCodePoints(text, max) === [...text].slice(0, max).join('')),
  );
});

describe('isLongerThan', () => {
  it.each([
    ['', 0, false],
    ['a', 0, true],
    ['abc', 3, false],
    ['abcd', 3, true],
    ['😀😀😀', 3, false],
    ['😀😀😀😀', 3, true],
    ['ab😀', 3, false],
    ['abc😀', 3, true],
    ['abcdefgh', 3, true],
    ['e\u0301', 1, true],
  ])('of %j and %i is %s', (text, max, expected) => {
    expect(isLongerThan(text, max)).toBe(expected);
  });

  it('counts code points', () => {
    const anyText = fc.string({ unit: 'binary' });
    fc.assert(fc.property(anyText, fc.nat(12), (text, max) => isLongerThan(text, max) === [...text].length > max));
  });
});
