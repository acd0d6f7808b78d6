import { describe, expect, it } from 'vitest';
import { isInherited, parseBatch } from '../../src/protocol/batch-request.js';
import { refusal } from './refusal.js';

const GET = { method: 'GET', path: '/articles' };
const only = (request: Record<string, unknown>, defaults?: unknown) =>
  parseBatch({ defaults, requests: [request] }, 25)[0]!;

describe('a batch', () => {
  it('may be empty', () => {
    expect(parseBatch({ requests: [] }, 25)).toEqual([]);
  });

  it('keeps the order of its requests', () => {
    const requests = ['/a', '/b', '/c'].map((path) => ({ method: 'GET', path }));
    expect(parseBatch({ requests }, 25).map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
  });

  it('has at most as many requests as allowed', () => {
    expect(parseBatch({ requests: Array(3).fill(GET) }, 3)).toHaveLength(3);
    expect(refusal(() => parseBatch({ requests: Array(4).fill(GET) }, 3)).message).toBe(
      'requests: more than 3 entries',
    );
  });

  it.each(['defaults', 'requests.0'])('has at most a hundred headers in %s', (where) => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, '']));
    const batch = (count: number) =>
      where === 'defaults'
        ? { defaults: { headers: headers(count) }, requests: [GET] }
        : { requests: [{ ...GET, headers: headers(count) }] };
    expect(parseBatch(batch(100), 25)).toHaveLength(1);
    expect(refusal(() => parseBatch(batch(101), 25)).message).toBe(`${where}.headers: more than 100 headers`);
  });

  it('has at most a thousand members in a body; those of the defaults may be copied for each entry', () => {
    const body = (count: number, name: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 0]));
    const batch = (shared: number, own: number) => ({
      defaults: { body: body(shared, 'shared') },
      requests: [{ ...GET, body: body(own, 'own') }],
    });
    expect(Object.keys(parseBatch(batch(1_000, 1_000), 25)[0]!.body!)).toHaveLength(2_000);
    expect(() => parseBatch(batch(1_001, 1), 25)).toThrow('defaults.body: more than 1000 members');
    expect(() => parseBatch(batch(1, 1_001), 25)).toThrow('requests.0.body: more than 1000 members');
  });

  it('has a default path of at most 262,144 characters for all entries, for each of which it is escaped', () => {
    const batch = (length: number) => ({ defaults: { ...GET, path: '/'.padEnd(length, 'a') }, requests: [{}, {}] });
    expect(parseBatch(batch(131_072), 25)).toHaveLength(2);
    expect(() => parseBatch(batch(131_073), 25)).toThrow('defaults.path: too long for 2 entries');
  });

  it.each([
    ['has no text', { toString: null }],
    ['is too deep for one', Array.from({ length: 9_000 }).reduce((inner: unknown) => [inner], [])],
  ])('refuses a default path that %s', (_, path) => {
    const batch = (request: object) => ({ defaults: { path }, requests: [request] });
    expect(parseBatch(batch(GET), 25)).toHaveLength(1);
    expect(refusal(() => parseBatch(batch({ method: 'GET' }), 25)).message).toBe(
      'requests.0.path: has no leading slash',
    );
  });

  it('counts the headers that an entry inherits from the defaults', () => {
    const headers = (name: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, '1']));
    const entry = { method: 'GET', path: '/', headers: headers('Own', 50) };
    const batch = (count: number) => ({ defaults: { headers: headers('Default', count) }, requests: [entry] });
    expect(parseBatch(batch(50), 25)).toHaveLength(1);
    expect(refusal(() => parseBatch(batch(51), 25)).message).toBe('requests.0.headers: more than 100 headers');
  });

  it('ignores members it does not know', () => {
    expect(parseBatch({ requests: [{ ...GET, id: 5 }], version: 2 }, 25)).toEqual([
      { method: 'GET', path: '/articles', url: '/v2/articles', headers: {}, body: undefined },
    ]);
  });

  it.each([
    [undefined, 108, 'requests: missing'],
    [{}, 108, 'requests: missing'],
    [{ requests: null }, 108, 'requests: missing'],
    [{ requests: [{ path: '/a' }] }, 108, 'requests.0.method: missing'],
    [{ requests: [{ path: '/a', method: null }] }, 108, 'requests.0.method: missing'],
    [{ requests: [GET, { method: 'GET' }] }, 108, 'requests.1.path: missing'],
    [{ requests: [{ method: 'GET', path: null }] }, 108, 'requests.0.path: missing'],
    [[], 109, 'The body is not a JSON object'],
    [null, 109, 'The body is not a JSON object'],
    ['text', 109, 'The body is not a JSON object'],
    [42, 109, 'The body is not a JSON object'],
    [{ requests: {} }, 109, 'requests: not a list'],
    [{ requests: 'GET /' }, 109, 'requests: not a list'],
    [{ requests: 0 }, 109, 'requests: not a list'],
    [{ requests: [], defaults: [] }, 109, 'defaults: not an object'],
    [{ requests: [], defaults: 'x' }, 109, 'defaults: not an object'],
    [{ requests: [], defaults: { body: [] } }, 109, 'defaults.body: not an object'],
    [{ requests: [], defaults: { headers: { a: 1 } } }, 109, 'defaults.headers.a: not a header value'],
    [{ requests: [GET, null] }, 109, 'requests.1: not an object'],
    [{ requests: [[]] }, 109, 'requests.0: not an object'],
    [{ requests: ['GET /articles'] }, 109, 'requests.0: not an object'],
    [{ requests: [{ ...GET, method: 'OPTIONS' }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, method: 'CONNECT' }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, method: '' }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, method: 5 }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, method: 'poſt' }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, method: 'GET ' }] }, 109, 'requests.0.method: not an allowed method'],
    [{ requests: [{ ...GET, path: 'articles' }] }, 109, 'requests.0.path: has no leading slash'],
    [{ requests: [{ ...GET, path: '' }] }, 109, 'requests.0.path: has no leading slash'],
    [{ requests: [{ ...GET, path: 5 }] }, 109, 'requests.0.path: has no leading slash'],
    [{ requests: [{ ...GET, path: 'http://example.com/' }] }, 109, 'requests.0.path: has no leading slash'],
    [{ requests: [{ ...GET, body: [] }] }, 109, 'requests.0.body: not an object'],
    [{ requests: [{ ...GET, body: 'x' }] }, 109, 'requests.0.body: not an object'],
    [{ requests: [{ ...GET, headers: [] }] }, 109, 'requests.0.headers: not an object'],
    [{ requests: [{ ...GET, headers: 'x' }] }, 109, 'requests.0.headers: not an object'],
    [{ requests: [{ ...GET, headers: { Accept: 5 } }] }, 109, 'requests.0.headers.Accept: not a header value'],
    [{ requests: [{ ...GET, headers: { Accept: null } }] }, 109, 'requests.0.headers.Accept: not a header value'],
    [{ requests: [{ ...GET, headers: { A: 'x\r\nB: y' } }] }, 109, 'requests.0.headers.A: not a header value'],
    [{ requests: [{ ...GET, headers: { A: '\0' } }] }, 109, 'requests.0.headers.A: not a header value'],
    [{ requests: [GET], defaults: { body: 'x' } }, 109, 'defaults.body: not an object'],
    [{ requests: [GET], defaults: { headers: { a: 1 } } }, 109, 'defaults.headers.a: not a header value'],
    [{ requests: [GET], defaults: { headers: 'x' } }, 109, 'defaults.headers: not an object'],
    [{ requests: 5, defaults: 5 }, 109, 'defaults: not an object'],
    [{ requests: [{ body: 5, headers: 5, method: 5, path: 5 }] }, 109, 'requests.0.body: not an object'],
    [{ requests: [{ headers: 5, method: 5, path: 5 }] }, 109, 'requests.0.headers: not an object'],
    [{ requests: [{ method: 5, path: 5 }] }, 109, 'requests.0.method: not an allowed method'],
  ])('is refused as a whole: %j', (body, errno, message) => {
    expect(refusal(() => parseBatch(body, 25))).toEqual({ code: 400, errno, message });
  });

  it('is refused with at most a hundred characters of the name of a header', () => {
    const batch = { requests: [{ ...GET, headers: { ['a'.repeat(1e6)]: 1 } }] };
    const message = `requests.0.headers.${'a'.repeat(100)}: not a header value`;
    expect(refusal(() => parseBatch(batch, 25))).toEqual({ code: 400, errno: 109, message });
  });
});

describe('a method', () => {
  it.each(['GET', 'get', 'Head', 'POST', 'pUT', 'patch', 'DELETE'])('is taken in any case: %s', (method) => {
    expect(only({ method, path: '/a' }).method).toBe(method.toUpperCase());
  });
});

describe('a path', () => {
  it.each([
    ['/articles', '/v2/articles'],
    ['/v2/articles', '/v2/articles'],
    ['/v2', '/v2'],
    ['/v2?a=b', '/v2?a=b'],
    ['/', '/v2/'],
    ['/v2x', '/v2/v2x'],
    ['/V2/articles', '/v2/V2/articles'],
    ['/articles?_sort=-title&title=a%20b', '/v2/articles?_sort=-title&title=a%20b'],
    ['/articles?title=ä😀', '/v2/articles?title=%C3%A4%F0%9F%98%80'],
    ['/articles/ä', '/v2/articles/%C3%A4'],
    ['/articles/\ud800', '/v2/articles/%EF%BF%BD'],
    ['/articles#fragment', '/v2/articles'],
    ['/a b', '/v2/a%20b'],
    ['/%zz', '/v2/%zz'],
    ['//example.com/x', '/v2//example.com/x'],
    ['/batches', '/v2/batches'],
    ['/articles/batch', '/v2/articles/batch'],
    ['/v1/articles', '/v1/articles'],
    ['/v0', '/v0'],
    ['/v3/articles', '/v2/v3/articles'],
    ['/articles?url=https://x/#frag', '/v2/articles?url=https://x/%23frag'],
    ['/articles#fragment?title=a#b', '/v2/articles?title=a%23b'],
    ['/articles?title=a \t', '/v2/articles?title=a%20%09'],
    ['/articles?title=a\r\nb\0\x7f', '/v2/articles?title=a%0D%0Ab%00%7F'],
    ['/articles?title="<\'>|', '/v2/articles?title="<\'>|'],
    ['/articles/..', '/v2/articles/..'],
    ['/articles/%2e%2e/articles', '/v2/articles/%2e%2e/articles'],
    ['/v2/../docs', '/v2/../docs'],
    ['/articles\\zz', '/v2/articles\\zz'],
  ])('%s runs %s', (path, url) => {
    expect(only({ method: 'GET', path })).toMatchObject({ path, url });
  });

  it.each([
    '/batch',
    '/batch?x=y',
    '/batch#x',
    '/batch#x?y',
    '/v2/batch',
    '/v2/batch?x',
    '/v2/batch/',
    '/batch/',
    '//batch',
    '/v2//batch',
    '/BATCH',
    '/%62atch',
    '/articles/../batch',
    '/./batch',
    '/v2/../batch',
    '/v2/../v2/batch',
    '/%2e%2e/batch',
    '/\\batch',
    '/ba\ttch',
  ])('never runs a batch: %j', (path) => {
    expect(refusal(() => only({ method: 'POST', path }))).toMatchObject({ code: 400, errno: 109 });
  });
});

describe('headers', () => {
  it('have names in lower case', () => {
    const headers = { 'If-Unmodified-Since': '5', 'Response-Behavior': 'light' };
    expect(only({ ...GET, headers }).headers).toEqual({ 'if-unmodified-since': '5', 'response-behavior': 'light' });
  });

  it('are joined when they are given twice, and replace what the defaults have', () => {
    const headers = { 'If-Modified-Since': '5', 'if-modified-since': '6' };
    expect(only({ ...GET, headers }).headers).toEqual({ 'if-modified-since': '5, 6' });
    const defaults = { headers: { 'IF-MODIFIED-SINCE': '7' } };
    expect(parseBatch({ defaults, requests: [{ ...GET, headers }] }, 25)[0]!.headers).toEqual({
      'if-modified-since': '5, 6',
    });
  });

  it.each([
    'Content-Length',
    'Content-Type',
    'Content-Encoding',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Host',
    'Prefer',
  ])('are not set by an entry or inherited: %s', (name) => {
    expect(only({ ...GET, headers: { [name]: 'x' } }).headers).toEqual({});
    expect(isInherited(name.toLowerCase())).toBe(false);
  });

  it.each([
    'Authorization',
    'Forwarded',
    'X-Forwarded-For',
    'x-forwarded-proto',
    'X-FORWARDED-HOST',
    'X-Forwarded-Port',
    'X-Forwarded-Anything',
    'X-Real-IP',
    'X-Request-Id',
  ])('are those of the batch, whatever an entry or the defaults say: %s', (name) => {
    const headers = { [name]: 'forged' };
    const [entry] = parseBatch({ defaults: { headers }, requests: [{ ...GET, headers }] }, 25);
    expect(entry!.headers).toEqual({});
    expect(isInherited(name.toLowerCase())).toBe(true);
  });

  it.each(['if-unmodified-since', 'response-behavior', 'accept', 'user-agent', 'x-anything'])(
    'are inherited: %s',
    (name) => {
      expect(isInherited(name)).toBe(true);
    },
  );

  it('may contain a tab', () => {
    expect(only({ ...GET, headers: { a: 'b\tc' } }).headers).toEqual({ a: 'b\tc' });
  });
});

describe('the defaults', () => {
  it('give method and path', () => {
    expect(only({}, { method: 'DELETE', path: '/articles' })).toMatchObject({ method: 'DELETE', url: '/v2/articles' });
  });

  it('yield to what a request says', () => {
    const defaults = { method: 'POST', path: '/other', body: { a: 1 }, headers: { a: '1' } };
    const entry = only({ method: 'PATCH', path: '/articles', body: { a: 2 }, headers: { A: '2' } }, defaults);
    expect(entry).toMatchObject({ method: 'PATCH', path: '/articles', body: { a: 2 }, headers: { a: '2' } });
  });

  it('merge with body and headers key by key', () => {
    const defaults = { method: 'POST', path: '/articles', body: { a: 1, b: { c: 1 } }, headers: { a: '1', b: '1' } };
    const entry = only({ body: { b: { d: 2 }, e: null }, headers: { B: '2', c: '2' } }, defaults);
    expect(entry.body).toEqual({ a: 1, b: { d: 2 }, e: null });
    expect(entry.headers).toEqual({ a: '1', b: '2', c: '2' });
  });

  it.each([
    [undefined, undefined, undefined],
    [null, null, undefined],
    [{ a: 1 }, undefined, { a: 1 }],
    [{ a: 1 }, null, { a: 1 }],
    [undefined, { a: 1 }, { a: 1 }],
    [undefined, {}, {}],
  ])('with the body %j and an own one %j give %j', (shared, own, body) => {
    expect(only({ ...GET, body: own }, { body: shared }).body).toEqual(body);
  });

  it('may be null', () => {
    expect(only(GET, null)).toMatchObject({ url: '/v2/articles' });
  });

  it('keep a __proto__ of a request what it is', () => {
    const body = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
    const entry = only({ ...GET, body }, { body: { a: 1 } });
    expect((entry.body as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
