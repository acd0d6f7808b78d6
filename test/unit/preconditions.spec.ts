import { describe, expect, it } from 'vitest';
import { isNotModified, preconditionsOf, requireUnmodified } from '../../src/protocol/request-headers.js';
import { refusal } from './refusal.js';

describe('a conditional header', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['  ', undefined],
    ['0', 0],
    ['5', 5],
    [' 1234567890123\t', 1234567890123],
    ['0000000000000005', 5],
    ['9007199254740991', 9007199254740991],
    ['9999999999999999', 9999999999999999],
  ])('%j is %j', (text, timestamp) => {
    expect(
      preconditionsOf({ headers: { 'if-modified-since': text, 'if-unmodified-since': text }, rawHeaders: [] }),
    ).toEqual({
      ifModifiedSince: timestamp,
      ifUnmodifiedSince: timestamp,
    });
  });

  const malformed = ['-1', '+1', '1.5', '1e3', '0x1', 'abc', '"5"', '5,6', '12345678901234567', 'Sat, 29 Oct 1994'];
  it.each(malformed)('is refused by its name: If-Unmodified-Since: %s', (text) => {
    expect(refusal(() => preconditionsOf({ headers: { 'if-unmodified-since': text }, rawHeaders: [] }))).toEqual({
      code: 400,
      errno: 107,
      message: 'If-Unmodified-Since: not a timestamp in milliseconds',
    });
  });

  it.each(malformed)('is refused by its name: If-Modified-Since: %s', (text) => {
    expect(refusal(() => preconditionsOf({ headers: { 'if-modified-since': text }, rawHeaders: [] }))).toEqual({
      code: 400,
      errno: 107,
      message: 'If-Modified-Since: not a timestamp in milliseconds',
    });
  });
});

describe('If-Modified-Since', () => {
  it.each([
    [undefined, 5, false],
    [4, 5, false],
    [5, 5, true],
    [6, 5, true],
    [0, 5, false],
  ])('%j at the timestamp %i: not modified is %s', (ifModifiedSince, current, expected) => {
    expect(isNotModified({ ifModifiedSince }, current)).toBe(expected);
  });
});

describe('If-Unmodified-Since', () => {
  it.each([
    [undefined, 5],
    [5, 5],
    [6, 5],
  ])('%j lets the timestamp %i pass', (ifUnmodifiedSince, current) => {
    expect(() => requireUnmodified({ ifUnmodifiedSince }, current)).not.toThrow();
  });

  it.each([
    [4, 5],
    [0, 1],
  ])('%j refuses the timestamp %i', (ifUnmodifiedSince, current) => {
    expect(refusal(() => requireUnmodified({ ifUnmodifiedSince }, current))).toMatchObject({ code: 412, errno: 114 });
  });
});

describe('the conditions of a request', () => {
  const request = (...rawHeaders: string[]) => {
    const headers: Record<string, string> = {};
    for (let at = 0; at < rawHeaders.length; at += 2) headers[rawHeaders[at]!.toLowerCase()] ??= rawHeaders[at + 1]!;
    return { headers, rawHeaders };
  };

  it('are those of its headers', () => {
    const asked = request('Host', 'a', 'If-Modified-Since', '5', 'IF-UNMODIFIED-SINCE', '6');
    expect(preconditionsOf(asked)).toEqual({ ifModifiedSince: 5, ifUnmodifiedSince: 6 });
  });

  it('are none without them', () => {
    expect(preconditionsOf(request('Host', 'a'))).toEqual({});
  });

  it('do not go by an empty header, however often it was sent', () => {
    expect(preconditionsOf(request('If-Modified-Since', '', 'If-Modified-Since', ''))).toEqual({});
  });

  it.each(['If-Modified-Since', 'If-Unmodified-Since'])('are refused where only the first %s is empty', (name) => {
    expect(refusal(() => preconditionsOf(request(name, ' ', 'Host', 'a', name, '5'))).message).toBe(
      `${name}: given twice`,
    );
  });

  it.each([
    ['If-Modified-Since', 'if-modified-since'],
    ['If-Unmodified-Since', 'IF-Unmodified-Since'],
  ])('are refused where %s was sent twice', (name, again) => {
    expect(refusal(() => preconditionsOf(request(name, '5', 'Host', 'a', again, '5')))).toEqual({
      code: 400,
      errno: 107,
      message: `${name}: given twice`,
    });
  });
});
