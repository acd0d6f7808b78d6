import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPageQuery, queryString, withoutFragment } from '../../src/http/request/request-url.js';

describe('the query string of an address', () => {
  it.each([
    ['/v2/articles', ''],
    ['/v2/articles?', ''],
    ['/v2/articles?a=b', 'a=b'],
    ['/v2/articles?a=b?c=d', 'a=b?c=d'],
    ['/v2/articles??', '?'],
  ])('%s is %j', (url, search) => {
    expect(queryString({ url })).toBe(search);
  });
});

describe('without a fragment', () => {
  it.each([
    ['/v2/articles', '/v2/articles'],
    ['/v2/articles#', '/v2/articles'],
    ['/v2\\articles#/x', '/v2\\articles'],
    ['/v2/articles#a#b?_limit=1', '/v2/articles?_limit=1'],
    ['/v2/articles?title=a#b&_limit=1', '/v2/articles?title=a%23b&_limit=1'],
    ['/v2/articles#a?title=#?#', '/v2/articles?title=%23?%23'],
  ])('%s is %s', (url, cut) => {
    expect(withoutFragment(url)).toBe(cut);
  });
});

describe('the query string of the next page', () => {
  it.each([
    ['', '_limit=100&_token=T'],
    ['unread=true', 'unread=true&_limit=100&_token=T'],
    ['_limit=5', '_limit=5&_token=T'],
    ['_limit=500&unread=true', '_limit=500&unread=true&_token=T'],
    ['%5Flimit=5', '%5Flimit=5&_token=T'],
    ['_token=old&_sort=title', '_sort=title&_limit=100&_token=T'],
    ['_token=', '_limit=100&_token=T'],
    ['_utm=%zz&_%zz=1', '_utm=%zz&_%zz=1&_limit=100&_token=T'],
    ['_token', '_limit=100&_token=T'],
    ['_%74oken=old', '_limit=100&_token=T'],
    ['title=_token=x', 'title=_token=x&_limit=100&_token=T'],
    ['_tokens=x&_limits=5', '_tokens=x&_limits=5&_limit=100&_token=T'],
    ['&&unread=true&', 'unread=true&_limit=100&_token=T'],
    ['title=a+b&title=%26', 'title=a+b&title=%26&_limit=100&_token=T'],
  ])('after %j is %j', (search, next) => {
    expect(nextPageQuery(search, 100, 'T')).toBe(next);
  });

  it('keeps every other parameter', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (search) => {
        const kept = [...new URLSearchParams(`?${search}`)].filter(([name]) => name !== '_token' && name !== '_limit');
        const next = [...new URLSearchParams(`?${nextPageQuery(search, 100, 'T')}`)];
        expect(next.filter(([name]) => name !== '_token' && name !== '_limit')).toEqual(kept);
        expect(next.filter(([name]) => name === '_token')).toEqual([['_token', 'T']]);
      }),
    );
  });
});
