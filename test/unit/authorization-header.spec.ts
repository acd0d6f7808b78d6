import { describe, expect, it } from 'vitest';
import { readAuthorization } from '../../src/protocol/request-headers.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('no credentials are read', () => {
  it.each([
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer \t ',
    'Basic',
    'Basic ',
    'Digest username="me"',
    'Token abc',
    'abc',
    ':',
    'Bearer\u00a0abc',
  ])('from %j', (header) => {
    expect(readAuthorization(header)).toBeUndefined();
  });
});

describe('a bearer token is read', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['  Bearer \t abc  ', 'abc'],
    ['Bearer a b', 'a b'],
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  ])('from %j', (header, token) => {
    expect(readAuthorization(header)).toEqual({ scheme: 'bearer', token });
  });
});

describe('Basic credentials are read', () => {
  it.each([
    [basic('me:secret'), 'me', 'secret'],
    [basic('me:secret').replace('Basic', 'bAsIc'), 'me', 'secret'],
    [`${basic('me:secret')}  `, 'me', 'secret'],
    [basic('me:a:b::c:'), 'me', 'a:b::c:'],
    [basic('me:'), 'me', ''],
    [basic(':secret'), '', 'secret'],
    [basic(':'), '', ''],
    [basic('jürgen:pässwörd ✓'), 'jürgen', 'pässwörd ✓'],
  ])('from %j', (header, username, password) => {
    expect(readAuthorization(header)).toEqual({ scheme: 'basic', username, password });
  });

  it.each([
    ['without padding', basic('me:secret!').replace(/=+$/, ''), 'me', 'secret!'],
    ['with a byte order mark', basic('\uFEFFme:secret'), '\uFEFFme', 'secret'],
    ['with a replacement character', basic('\uFFFD:\uFFFD'), '\uFFFD', '\uFFFD'],
    ['with other control characters', basic('\u0001:\u007f'), '\u0001', '\u007f'],
    ['in one normal form of Unicode', basic('\u00e9:x'), '\u00e9', 'x'],
    ['in the other', basic('e\u0301:x'), 'e\u0301', 'x'],
  ])('as they are: %s', (_, header, username, password) => {
    expect(readAuthorization(header)).toEqual({ scheme: 'basic', username, password });
  });

  const ofBytes = (...bytes: number[]): string => `Basic ${Buffer.from(bytes).toString('base64')}`;
  const [colon, m] = [0x3a, 0x6d];
  it.each([
    ['no colon', basic('no colon')],
    ['an exclamation mark', 'Basic !!!'],
    ['one character', 'Basic x'],
    ['a character too many', 'Basic bWU6Y'],
    ['garbage in between', basic('me:secret').replace('b', 'b$')],
    ['a blank in between', basic('me:secret').replace('b', 'b ')],
    ['text after the padding', `${basic('me:secret!')}QUJD`],
    ['too much padding', `${basic('me:secret')}==`],
    ['the alphabet for URLs', basic('me:~~~???').replace(/[+]/g, '-').replace(/[/]/g, '_')],
    ['characters beyond ASCII', 'Basic bWU6c2VjcmV0é'],
    ['Latin-1 in the name', ofBytes(0xe9, colon, m)],
    ['Latin-1 in the password', ofBytes(m, colon, 0xe9)],
    ['another byte of Latin-1', ofBytes(0xe8, colon, m)],
    ['half a character', ofBytes(0xc3, colon, m)],
    ['an overlong slash', ofBytes(m, colon, 0xc0, 0xaf)],
    ['an overlong colon', ofBytes(m, 0xc0, 0xba, m)],
    ['half of a surrogate pair', ofBytes(m, colon, 0xed, 0xa0, 0x80)],
    ['more than Unicode has', ofBytes(m, colon, 0xf4, 0x90, 0x80, 0x80)],
    ['UTF-16', `Basic ${Buffer.from('me:secret', 'utf16le').toString('base64')}`],
    ['NUL in the name', ofBytes(m, 0, colon, m)],
    ['NUL in the password', ofBytes(m, colon, m, 0)],
  ])('but are malformed with %s', (_, header) => {
    expect(readAuthorization(header)).toEqual({ scheme: 'malformed-basic' });
  });
});
