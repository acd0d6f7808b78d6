import { describe, expect, it } from 'vitest';
import { readWait, linesOf } from '../../src/protocol/request-headers.js';
import { growthOf } from '../support/growth.js';

describe('the seconds of Prefer: wait are', () => {
  it.each<[string[] | undefined, number | undefined]>([
    [undefined, undefined],
    [[], undefined],
    [[''], undefined],
    [['wait=10'], 10],
    [['wait=0'], 0],
    [['wait=007'], 7],
    [['WAIT=10'], 10],
    [['Wait = 10'], 10],
    [['wait\t=\t10'], 10],
    [['  wait=10  '], 10],
    [['wait="10"'], 10],
    [['wait="1\\0"'], 10],
    [['wait=10;'], 10],
    [['wait=10 ; '], 10],
    [['wait=10; foo'], 10],
    [['wait=10; foo=bar; x="a, b; c"'], 10],
    [['respond-async, wait=10'], 10],
    [['respond-async,wait=10'], 10],
    [['return=minimal; foo="some parameter", wait=10, handling=lenient'], 10],
    [['foo="wait=5, wait=6", wait=10'], 10],
    [['foo="a \\" wait=5, b", wait=10'], 10],
    [[',, wait=10,'], 10],
    [[' , wait=10'], 10],
    [['respond-async', 'wait=10'], 10],
    [['wait=99999999999999999999'], 99999999999999999999],
    [[`wait=${'9'.repeat(400)}`], Infinity],
  ])('%j: %j', (lines, seconds) => expect(readWait(lines)).toBe(seconds));

  describe('those of the first of several', () => {
    it.each<[string[], number | undefined]>([
      [['wait=10, wait=20'], 10],
      [['wait=10', 'wait=20'], 10],
      [['respond-async, wait=10', 'WAIT=20'], 10],
      [['wait, wait=20'], undefined],
      [['wait="", wait=20'], undefined],
      [['wait=soon', 'wait=20'], undefined],
    ])('%j: %j', (lines, seconds) => expect(readWait(lines)).toBe(seconds));
  });

  describe('not there in what is not a number of seconds', () => {
    it.each([
      'wait',
      'wait=',
      'wait=""',
      'wait=-1',
      'wait=+1',
      'wait=1.5',
      'wait=1e3',
      'wait=0x10',
      'wait=10s',
      'wait=" 10"',
      'waiting=10',
      'x-wait=10',
      'return=wait; wait=10',
    ])('%s', (line) => expect(readWait([line])).toBeUndefined());
  });

  describe('not read from a malformed preference, which leaves the others alone', () => {
    it.each<[string[], number | undefined]>([
      [['wait 10'], undefined],
      [['wait=10 20'], undefined],
      [['wait==10'], undefined],
      [['=10'], undefined],
      [['wait:10'], undefined],
      [['wait=10; @'], undefined],
      [['wait="10'], undefined],
      [['wait=10"'], undefined],
      [['w\u00e4it=10'], undefined],
      [[';wait=10'], undefined],
      [[' ; wait=10, wait=20'], 20],
      [['@@@, wait=10'], 10],
      [['foo bar, wait=10'], 10],
      [['wait=5 junk, wait=10'], 10],
      [['foo="never closed, wait=5', 'wait=10'], 10],
      [['foo="never closed, wait=5'], undefined],
      [['foo="never closed \\'], undefined],
    ])('%j: %j', (lines, seconds) => expect(readWait(lines)).toBe(seconds));
  });

  it.each([
    ['parameters', (length: number) => 'wait=5; '.repeat(length / 8)],
    ['blanks', (length: number) => 'wait=5;'.padEnd(length)],
    ['blanks and no value', (length: number) => `${'wait'.padEnd(length)}@`],
    ['quotes', (length: number) => ', "'.repeat(length / 3)],
  ])('found in linear time among many %s', (_, lineOf) => {
    expect(growthOf((line) => readWait([line]), lineOf, 16_000)).toBeLessThan(1.5);
  });
});

it('is read from each line that was sent, whatever the case of its name', () => {
  const sent = ['Host', 'prefer', 'PREFER', 'respond-async', 'X-Prefer', 'wait=5', 'Prefer', 'wait=10'];
  expect(linesOf('prefer', sent)).toEqual(['respond-async', 'wait=10']);
  expect(linesOf('prefer', ['Host', 'x'])).toEqual([]);
});
