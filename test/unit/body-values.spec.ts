import { describe, expect, it } from 'vitest';
import { Invalid, readBodyValue } from '../../src/protocol/field-values.js';
import type { FieldKind } from '../../src/protocol/fields.js';

const MAX = Number.MAX_SAFE_INTEGER;
const invalid = (reason: string): Invalid => new Invalid(reason);

describe('a boolean', () => {
  it.each([
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
    ['TRUE', true],
    ['False', false],
    ['1', true],
    ['0', false],
    [1, true],
    [0, false],
    [-0, false],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue('boolean', value)).toBe(expected);
  });

  it.each(['', ' true', 'yes', 'no', 'on', 'off', 't', 'null', '2', '01', 2, -1, 0.5, NaN, [], [true], {}])(
    'is not %j',
    (value) => {
      expect(readBodyValue('boolean', value)).toEqual(invalid('not a boolean'));
    },
  );
});

it('a value of the kind uuid is read without the blanks around it', () => {
  expect(readBodyValue('uuid', ' 11111111-2222-4333-8444-555555555555 ')).toBe('11111111-2222-4333-8444-555555555555');
  expect(readBodyValue('uuid', 1)).toEqual(invalid('not a string'));
});

describe.each(['integer', 'timestamp'] as const)('a value of the kind %s', (kind) => {
  it.each([
    [0, 0],
    [42, 42],
    [42.0, 42],
    [1e3, 1000],
    [MAX, MAX],
    ['0', 0],
    ['42', 42],
    ['0042', 42],
    [' 42 ', 42],
    ['\t42\n', 42],
    [String(MAX), MAX],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue(kind, value)).toBe(expected);
  });

  it('is never a negative zero', () => {
    expect(readBodyValue(kind, -0)).toBe(0);
  });

  it.each([
    1.5,
    -1,
    -MAX,
    NaN,
    Infinity,
    '',
    ' ',
    '1.5',
    '1.0',
    '-1',
    '+1',
    '1e3',
    '0x10',
    'abc',
    '1 2',
    '٣',
    '9'.repeat(400),
  ])('is not %j', (value) => {
    expect(readBodyValue(kind, value)).toEqual(invalid('not an integer >= 0'));
  });

  it.each([true, false, [], [1], {}])('is not the JSON value %j', (value) => {
    expect(readBodyValue(kind, value)).toEqual(invalid('not an integer >= 0'));
  });

  it.each([MAX + 1, 1e300, String(MAX + 1), '9007199254740993', '9'.repeat(30)])('is out of range at %j', (value) => {
    expect(readBodyValue(kind, value)).toEqual(invalid('integer out of range'));
  });
});

describe.each<FieldKind>(['title', 'label', 'text', 'device', 'url'])('a value of the kind %s', (kind) => {
  it.each([1, true, [], ['a'], {}])('is not %j', (value) => {
    expect(readBodyValue(kind, value)).toEqual(invalid('not a string'));
  });

  it('contains no NUL character', () => {
    expect(readBodyValue(kind, 'http://example.com/\0')).toEqual(invalid('NUL character'));
  });

  it('has lone surrogates replaced', () => {
    expect(readBodyValue(kind, 'http://a/\ud800b\udc00😀')).toBe('http://a/\ufffdb\ufffd😀');
  });
});

describe('a title', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    [' \t\r\npad\n ', 'pad'],
    ['\u00a0pad', '\u00a0pad'],
    ['😀'.repeat(1024), '😀'.repeat(1024)],
    [` ${'a'.repeat(1024)} `, 'a'.repeat(1024)],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue('title', value)).toBe(expected);
  });

  it.each(['a'.repeat(1025), '😀'.repeat(1025), `${'a'.repeat(1024)}😀`])('has at most 1024 characters', (value) => {
    expect(readBodyValue('title', value)).toEqual(invalid('longer than 1024 characters'));
  });
});

describe('a label', () => {
  it.each([
    ['', ''],
    [' pad ', 'pad'],
    ['😀'.repeat(255), '😀'.repeat(255)],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue('label', value)).toBe(expected);
  });

  it('has at most 255 characters', () => {
    expect(readBodyValue('label', '😀'.repeat(256))).toEqual(invalid('longer than 255 characters'));
  });
});

describe('a device name', () => {
  it.each([
    [' phone ', 'phone'],
    ['😀'.repeat(255), '😀'.repeat(255)],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue('device', value)).toBe(expected);
  });

  it.each(['', '   ', '\r\n\t'])('is not %j', (value) => {
    expect(readBodyValue('device', value)).toEqual(invalid('empty device name'));
  });

  it('has at most 255 characters', () => {
    expect(readBodyValue('device', 'a'.repeat(256))).toEqual(invalid('longer than 255 characters'));
  });
});

describe('a text', () => {
  it.each(['', '  kept \n', 'a'.repeat(16_000), '😀'.repeat(16_000)])('is kept as it is', (value) => {
    expect(readBodyValue('text', value)).toBe(value);
  });

  it.each([
    ['a', 'a'],
    ['😀', '😀'],
    ['\ud800', '\ufffd'],
  ])('is cut after 16,000 characters, of which %j may be the last', (sent, stored) => {
    expect(readBodyValue('text', 'a'.repeat(15_999) + sent + 'b')).toBe('a'.repeat(15_999) + stored);
  });
});

describe('a URL', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    [' https://EXAMPLE.com \n', 'https://EXAMPLE.com'],
    ['https://example.com/a/../b?c#d', 'https://example.com/a/../b?c#d'],
  ])('is read from %j', (value, expected) => {
    expect(readBodyValue('url', value)).toBe(expected);
  });

  it('is an absolute one', () => {
    expect(readBodyValue('url', 'www.example.com')).toEqual(invalid('not an absolute URL with a host'));
  });
});
