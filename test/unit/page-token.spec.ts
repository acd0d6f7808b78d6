import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';
import { decodePageToken, encodePageToken, type PageTokenScope } from '../../src/protocol/page-token.js';
import { refusal } from './refusal.js';

const scope = (changes: Partial<PageTokenScope> = {}): PageTokenScope => ({
  secret: 'a secret',
  account: Buffer.alloc(16, 1),
  ...parseCollectionQuery('unread=true&_sort=title'),
  ...changes,
});
const start = fc.record({
  total: fc.nat(),
  position: fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null), fc.boolean()), {
    maxLength: 5,
  }),
});
const START = { total: 3, position: ['a', 'b'] };
const REFUSAL = { code: 400, errno: 107, message: '_token: not a page token of this listing' };

describe('a page token', () => {
  it('is refused with the total of another one', () => {
    const [first, second] = [encodePageToken(scope(), START), encodePageToken(scope(), { ...START, total: 4 })];
    const forged = first.slice(0, 22) + second.slice(22);
    expect(refusal(() => decodePageToken(scope(), forged))).toEqual(REFUSAL);
  });

  it('gives back the start it was made of', () => {
    fc.assert(
      fc.property(start, (values) => {
        const token = encodePageToken(scope(), values);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodePageToken(scope(), token)).toEqual(values);
      }),
    );
  });

  it('is refused when any character of it is another one', () => {
    const other = fc.constantFrom(...'AZaz09-_=%+/.');
    fc.assert(
      fc.property(start, fc.nat(), other, (values, at, character) => {
        const token = encodePageToken(scope(), values);
        const index = at % token.length;
        fc.pre(token[index] !== character);
        const forged = token.slice(0, index) + character + token.slice(index + 1);
        expect(refusal(() => decodePageToken(scope(), forged))).toEqual(REFUSAL);
      }),
    );
  });

  it('is refused when it is cut or longer', () => {
    fc.assert(
      fc.property(start, fc.nat(), (values, at) => {
        const token = encodePageToken(scope(), values);
        for (const forged of [
          token.slice(0, at % token.length),
          token.slice(1),
          `${token}A`,
          `A${token}`,
          token + token,
        ])
          expect(refusal(() => decodePageToken(scope(), forged))).toEqual(REFUSAL);
      }),
    );
  });

  it('is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(refusal(() => decodePageToken(scope(), text))).toEqual(REFUSAL);
      }),
    );
  });

  it.each<[string, Partial<PageTokenScope>]>([
    ['another secret', { secret: 'another secret' }],
    ['another account', { account: Buffer.alloc(16, 2) }],
    ['another filter', parseCollectionQuery('unread=false&_sort=title')],
    ['another operator', parseCollectionQuery('not_unread=true&_sort=title')],
    ['one filter more', parseCollectionQuery('unread=true&archived=true&_sort=title')],
    ['no filter', parseCollectionQuery('_sort=title')],
    ['another order', parseCollectionQuery('unread=true&_sort=-title')],
    ['another sort field', parseCollectionQuery('unread=true&_sort=url')],
    ['the default order', parseCollectionQuery('unread=true')],
  ])('is refused for %s', (_, changes) => {
    const token = encodePageToken(scope(), START);
    expect(refusal(() => decodePageToken(scope(changes), token))).toEqual(REFUSAL);
  });

  it('is the same listing in another spelling', () => {
    const token = encodePageToken(scope(), START);
    const query = parseCollectionQuery('_sort=%20title,title&_unknown=1&unread=YES&_limit=7');
    expect(decodePageToken(scope(query), token)).toEqual(START);
  });
});
