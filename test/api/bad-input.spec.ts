import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client } from '../support/client.js';
import { type Answer, exchange } from './raw-http.js';

const MAX = Number.MAX_SAFE_INTEGER;

let app: TestApp;
let device: Client;
let article: { id: string };
beforeAll(async () => {
  app = await startApp();
  device = client(app.url);
  article = (
    await device
      .post('/articles')
      .send(anArticle({ title: 'witness' }))
      .expect(201)
  ).body as { id: string };
});
afterAll(() => app.close());
/** Whatever was sent, the service goes on serving, and what it has can be read. */
afterEach(async () => {
  await device.get('/articles?_since=0&_sort=title,-excerpt').expect(200);
  await device.get(`/articles/${article.id}`).expect(200);
});

const send = (method: string, path: string, text = ''): Promise<Answer> =>
  exchange(
    app.url,
    method,
    path,
    { Authorization: device.authorization, 'Content-Length': String(Buffer.byteLength(text)) },
    text,
  );

/** The promise to any client: an answer in JSON, and a reason when it is refused. */
function expectSane({ status, headers, body }: Answer, what: string): void {
  expect(status, what).toBeLessThan(500);
  if (status === 304) return;
  expect(headers['content-type'], what).toBe('application/json; charset=utf-8');
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (status < 400) return;
  expect(parsed, what).toEqual({
    code: status,
    errno: expect.any(Number),
    info: expect.stringMatching(/\/errors#\d{3}$/) as string,
    error: expect.any(String),
    message: expect.stringMatching(/./),
  });
  expect([106, 107, 108, 109, 110, 111, 122], what).toContain(parsed.errno);
}

it.each(['gzip', 'br', 'foo'])('of an empty body nothing is decompressed: %s', async (encoding) => {
  const send = async (method: string, path: string) => {
    const headers = { Authorization: device.authorization, 'Content-Encoding': encoding, 'Content-Length': '0' };
    const { status, body } = await exchange(app.url, method, path, headers);
    return [status, (JSON.parse(body) as { errno: number }).errno];
  };
  expect(await send('POST', '/v2/articles')).toEqual([400, 108]);
  expect(await send('PATCH', `/v2/articles/${article.id}`)).toEqual([400, 108]);
  expect(
    await send('PATCH', `/v2/articles/${article.id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`),
  ).toEqual([404, 111]);
});

it('a list that is sorted by more than a request can hold is answered 400 / 107', async () => {
  const other = client(app.url);
  const [long, control] = [`h://${'😀'.repeat(2_030)}`, '\u0001'.repeat(1_024)];
  for (const at of [1, 2]) {
    const texts = { title: control, excerpt: control, preview: long };
    await other
      .post('/articles')
      .send(anArticle({ ...texts, url: `${long}${at}` }))
      .expect(201);
  }
  const all = '_limit=1&_sort=excerpt,title,resolved_title,preview,url,resolved_url';
  const get = (path: string) => exchange(app.url, 'GET', path, { Authorization: other.authorization });
  const { status, headers } = await get(`/v2/articles?${all}`);
  expect(status).toBe(200);
  const next = new URL(headers['next-page']!);
  expect((await get(next.pathname + next.search)).status).toBe(200);
  const refused = await get(`/v2/articles?${all}&not_title=${'%F0%9F%98%80'.repeat(1_024)}`);
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([400, { errno: 107 }]);
  expect((JSON.parse(refused.body) as { message: string }).message).toMatch(/^_sort: /);
});

it.each(['[', '{"a":', '[],'])('a body of a million %j is answered 400 / 106', async (piece) => {
  const answer = await send('POST', '/v2/articles', piece.repeat(1_000_000 / piece.length));
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { errno: 106 }]);
});

it.each(['\xe9', '\xed\xa0\x80', '\xc3'])(
  'a body with the bytes %j, which are not UTF-8, is answered 400 / 106',
  async (bytes) => {
    const body = Buffer.from(`{"url":"https://example.com/${bytes}","title":"","added_by":"phone"}`, 'latin1');
    const headers = { Authorization: device.authorization, 'Content-Length': String(body.length) };
    const answer = await exchange(app.url, 'POST', '/v2/articles', headers, body);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { errno: 106 }]);
  },
);

describe('characters that databases do not like', () => {
  const fields = ['url', 'preview', 'title', 'resolved_url', 'resolved_title', 'excerpt', 'added_by', 'marked_read_by'];

  it.each(fields)('a NUL in %s is answered 400 / 109', async (field) => {
    const post = await device
      .post('/articles')
      .send(anArticle({ [field]: 'http://a/\0' }))
      .expect(400);
    expect(post.body).toMatchObject({ errno: 109, message: `${field}: NUL character` });
    const sent = { unread: false, [field]: 'http://a/\0' };
    const patch = await device.patch(`/articles/${article.id}`).send(sent).expect(400);
    expect(patch.body.message).toMatch(new RegExp(`^${field}: `));
  });

  it.each(fields)('a lone surrogate in %s is replaced', async (field) => {
    const text = `"http://a/\\ud800${Math.random()}\\udc00\\ud83d\\ude00"`;
    const fresh = JSON.stringify(anArticle({ [field]: 0 })).replace(`"${field}":0`, `"${field}":${text}`);
    const { status, body } = await send('POST', '/v2/articles', fresh);
    expect(status).toBe(201);
    const stored = (JSON.parse(body) as Record<string, string>)[field];
    expect(stored).toMatch(/^http:\/\/a\/\ufffd0\.\d+\ufffd😀$/u);
    const query = `/articles?${field}=${encodeURIComponent(stored!)}`;
    expect((await device.get(query).expect(200)).headers['total-records']).toBe('1');
    expect((await device.get(`${query}&_sort=${field}&_limit=1`).expect(200)).body.items).toHaveLength(1);
    expect((await send('POST', '/v2/articles', fresh)).status).toBe(200);
  });

  it.each([
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\ufffe',
    '\uffff',
    '\u{10ffff}',
    '\u202e',
    "'",
    '"',
    '\\',
    '%',
    '_',
  ])('%j in a text is kept', async (character) => {
    const texts = { title: `a${character}b`, excerpt: character, added_by: `x${character}x` };
    const { body } = await device.post('/articles').send(anArticle(texts)).expect(201);
    expect((await device.get(`/articles/${body.id}`).expect(200)).body).toMatchObject(texts);
    const found = await device.get(`/articles?id=${body.id}&title=${encodeURIComponent(texts.title)}`).expect(200);
    expect(found.body.items).toHaveLength(1);
  });
});

describe('numbers', () => {
  it.each(['word_count', 'read_position', 'added_on', 'marked_read_on'])(
    '%s holds the largest safe integer',
    async (field) => {
      const sent = anArticle({ [field]: MAX });
      const { body } = await device.post('/articles').send(sent).expect(201);
      expect((await device.get(`/articles/${body.id}`)).body[field]).toBe(MAX);
      for (const query of [`${field}=${MAX}`, `min_${field}=${MAX}`, `gt_${field}=${MAX - 1}`])
        expect((await device.get(`/articles?${query}`).expect(200)).headers['total-records']).toBe('1');
      const page = await device.get(`/articles?_sort=-${field}&_limit=1`).expect(200);
      expect(page.body.items[0].id).toBe(body.id);
      await device.get(`/articles${new URL(page.headers['next-page']!).search}`).expect(200);
      await device.delete(`/articles/${body.id}`).expect(200);
    },
  );

  it.each(['9007199254740992', '1e400', '-1', '1e308', '123456789012345678901234567890', '0.1', '-0.0001'])(
    '%s in a body is answered 400 / 109',
    async (number) => {
      const text = JSON.stringify(anArticle({ word_count: 0 })).replace('"word_count":0', `"word_count":${number}`);
      const { status, body } = await send('POST', '/v2/articles', text);
      expect([status, JSON.parse(body).errno]).toEqual([400, 109]);
    },
  );

  it.each(['9007199254740992', '-9007199254740992', '1e5', '9'.repeat(1000), 'NaN', 'Infinity'])(
    '%s in a query is answered 400 / 107',
    async (number) => {
      for (const name of ['word_count', '_since', 'min_added_on', 'not_read_position']) {
        const { body } = await device.get(`/articles?${name}=${number}`).expect(400);
        expect(body.errno).toBe(107);
        expect(body.message).toMatch(new RegExp(`^${name}: `));
      }
    },
  );

  it.each([String(MAX), '9007199254740992', '9'.repeat(1000)])(
    'a page of more items than there can be is the largest page: %s',
    async (limit) => {
      await device.get(`/articles?_limit=${limit}`).expect(200);
    },
  );

  it.each(['0', '-9007199254740992', '1e5', 'NaN', 'Infinity'])('%s is not a page size', async (limit) => {
    const { body } = await device.get(`/articles?_limit=${limit}`).expect(400);
    expect([body.errno, body.message]).toEqual([107, expect.stringMatching(/^_limit: /)]);
  });
});

describe('JSON', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    'with a member %s pollutes nothing',
    async (name) => {
      const text = JSON.stringify(anArticle({ placeholder: 1 })).replace(
        '"placeholder":1',
        `"${name}":{"archived":true,"polluted":true}`,
      );
      const created = await send('POST', '/v2/articles', text);
      expect(created.status).toBe(201);
      expect(JSON.parse(created.body)).toMatchObject({ archived: false });
      const patch = `{"${name}":{"archived":true,"polluted":true}}`;
      expect((await send('PATCH', `/v2/articles/${article.id}`, patch)).status).toBe(200);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  it.each([
    ['an array', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['an object', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['an unknown member', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a title', `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['an array without end', '['.repeat(1_000_000)],
  ])('of 100,000 levels is refused: %s', async (what, text) => {
    for (const [method, path] of [
      ['POST', '/v2/articles'],
      ['PATCH', `/v2/articles/${article.id}`],
    ] as const) {
      const answer = await send(method, path, text);
      expectSane(answer, what);
    }
  });

  it('with 100,000 members is read', async () => {
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`x${at}`, at]));
    const { status } = await send('POST', '/v2/articles', JSON.stringify(anArticle(members)));
    expect(status).toBe(201);
  });

  it('with a member twice counts the last one', async () => {
    const text = JSON.stringify(anArticle()).replace('{', '{"title":"first",');
    expect(JSON.parse((await send('POST', '/v2/articles', text)).body).title).toMatch(/^Article/);
  });
});

describe('queries', () => {
  it.each([
    ['10,000 unknown parameters', Array.from({ length: 10_000 }, (_, at) => `_${at}`).join('&'), 200],
    ['3,000 ignored parameters in percent-encoding', Array(3_000).fill('_%61').join('&'), 400],
    ['10,000 times the same', Array.from({ length: 6000 }, () => 'unread=1').join('&'), 400],
    ['300 filters', Array.from({ length: 300 }, (_, at) => `not_title=${at}`).join('&'), 400],
    ['30 filters', Array.from({ length: 30 }, (_, at) => `not_title=${at}`).join('&'), 200],
    ['31 filters on one field', Array.from({ length: 31 }, (_, at) => `gt_url=${at}`).join('&'), 400],
    ['a sort by all fields a hundred times', `_sort=${Array(400).fill('title,-url,unread,word_count').join(',')}`, 200],
    ['60,000 separators', '&'.repeat(60_000), 200],
    ['60,000 equals signs', `title=${'='.repeat(60_000)}`, 200],
    ['20,000 encoded characters', `title=${'%41'.repeat(20_000)}`, 200],
    ['a long name', `${'a'.repeat(60_000)}=1`, 400],
    ['SQL', `title=${encodeURIComponent("' OR 1=1; DROP TABLE articles; --")}`, 200],
    ['SQL as a name', `${encodeURIComponent('title` = 1 OR 1')}=1`, 400],
    ['SQL as a sort', `_sort=${encodeURIComponent('title; DROP TABLE articles')}`, 400],
    ['SQL as a limit', `_limit=${encodeURIComponent('1; DROP TABLE articles')}`, 400],
  ])('of %s', async (what, query, status) => {
    const answer = await send('GET', `/v2/articles?${query}`);
    expect(answer.status).toBe(status);
    expectSane(answer, what);
    const [, reason] = /"message":"([^"\\]{0,40})/.exec(answer.body) ?? [];
    if (status >= 400) expect(reason).toMatch(/\w+/);
    expectSane(await send('DELETE', `/v2/articles?title=none&${query}`), what);
  });

  it.each([
    'x',
    'A'.repeat(22),
    'A'.repeat(60_000),
    `${'A'.repeat(22)}W10`,
    `${'A'.repeat(22)}bnVsbA`,
    '%00',
    '%F0%9F%98%80',
    '..%2F..%2Fetc%2Fpasswd',
    'eyJhbGciOiJub25lIn0.e30.',
    'null',
    '%5B%5D',
  ])('with the page token %s are refused', async (token) => {
    const { status, body } = await send('GET', `/v2/articles?_token=${token}`);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ errno: 107, message: '_token: not a page token of this listing' });
  });

  it('of any text are answered', async () => {
    const name = fc.constantFrom(
      'title',
      'min_url',
      'not_id',
      'unread',
      '_sort',
      '_limit',
      '_token',
      '_since',
      'lt_added_on',
      'x',
    );
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.webQueryParameters());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 4 }), async (parameters) => {
        const query = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join('&');
        expectSane(await send('GET', `/v2/articles?${query}`), query);
      }),
      { numRuns: 60 },
    );
  });
});

describe('bodies of any JSON', () => {
  const fields = [
    ...['url', 'title', 'added_by', 'preview', 'resolved_url', 'resolved_title', 'excerpt', 'archived', 'word_count'],
    ...['unread', 'read_position', 'added_on', 'marked_read_by', 'marked_read_on', 'id', 'last_modified'],
  ];
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary', maxLength: 30 }), fc.double());
  const body = fc.dictionary(fc.constantFrom(...fields), value);

  it('are taken or refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (sent, isComplete) => {
        const text = JSON.stringify(isComplete ? anArticle(sent) : sent);
        expectSane(await send('POST', '/v2/articles', text), text);
        const patch = await send('PATCH', `/v2/articles/${article.id}`, text);
        expectSane(patch, text);
      }),
      { numRuns: 60 },
    );
  });
});
