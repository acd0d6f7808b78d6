import { describe, expect, it } from 'vitest';
import { readAuthorization } from '../../src/protocol/authorization-header.js';

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

  it.each([basic('no colon'), 'Basic !!!', 'Basic x'])('but are malformed without a colon: %j', (header) => {
    expect(readAuthorization(header)).toEqual({ scheme: 'malformed-basic' });
  });
});
