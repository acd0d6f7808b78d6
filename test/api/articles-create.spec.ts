import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../src/protocol/fields.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, requireNewUser } from '../support/client.js';

const NOW = 1_900_000_000_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
afterEach(() => app.setClock(undefined));

describe('a POST of a new URL', () => {
  it('answers 201 with every field, its default where it was not sent', async () => {
    app.setClock(NOW);
    const { body } = await client(app.url)
      .post('/articles')
      .send({ url: 'https://example.com/a', title: 'A', added_by: 'laptop' })
      .expect(201);
    expect(Object.keys(body as object)).toEqual(FIELD_NAMES);
    expect(body).toMatchObject({
      id: expect.stringMatching(UUID),
      last_modified: NOW,
      url: 'https://example.com/a',
      preview: null,
      title: 'A',
      resolved_url: 'https://example.com/a',
      resolved_title: 'A',
      excerpt: '',
      archived: false,
      favorite: false,
      is_article: true,
      word_count: null,
      unread: true,
      added_by: 'laptop',
      added_on: NOW,
      stored_on: NOW,
      marked_read_by: null,
      marked_read_on: null,
      read_position: 0,
    });
  });

  it('answers 201 with every value that was sent', async () => {
    const sent = {
      url: 'https://example.com/sent',
      preview: 'https://example.com/p.png',
      title: 'Sent ✓ 😀',
      resolved_url: 'https://example.com/resolved',
      resolved_title: 'Resolved',
      excerpt: ' two  words\n',
      archived: true,
      favorite: true,
      is_article: false,
      word_count: 9_007_199_254_740_991,
      unread: false,
      added_by: 'Jürgen’s phone',
      added_on: 12,
      marked_read_by: 'tv',
      marked_read_on: 34,
      read_position: 56,
    };
    const { body } = await client(app.url).post('/articles').send(sent).expect(201);
    expect(body).toMatchObject(sent);
  });

  it('stores what it answers', async () => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ excerpt: '😀', word_count: '7' }))
      .expect(201);
    const read = await device.get(`/articles/${body.id}`).expect(200);
    expect(read.body).toEqual(body);
    const list = await device.get('/articles').expect(200);
    expect(list.body).toEqual({ items: [body] });
    expect(list.headers['last-modified']).toBe(String(body.last_modified));
  });

  it('needs no Location', async () => {
    const { headers } = await client(app.url).post('/articles').send(anArticle()).expect(201);
    expect(headers).not.toHaveProperty('location');
  });

  it.each([
    ['marks of reading on an unread article', { unread: true, marked_read_by: 'tv', marked_read_on: 5 }],
    ['a read article without marks', { unread: false }],
    ['a read article with marks', { unread: false, marked_read_by: 'tv', marked_read_on: 5 }],
    ['a position on an unread article', { read_position: 5 }],
    ['an archived favorite', { archived: true, favorite: true }],
    ['the device time zero', { added_on: 0 }],
    ['an empty title', { title: '' }],
    ['no title', { title: null, resolved_title: null }],
    ['an empty resolved title', { resolved_title: '' }],
  ])('stores %s as sent', async (_, fields) => {
    const { body } = await client(app.url).post('/articles').send(anArticle(fields)).expect(201);
    expect(body).toMatchObject(fields);
  });

  it.each([
    ['a resolved_title that is null', { title: 'T', resolved_title: null }, { resolved_title: 'T' }],
    ['a resolved_url that is empty', { url: 'http://a/x', resolved_url: '' }, { resolved_url: 'http://a/x' }],
    ['a resolved_url that is null', { url: 'http://a/x', resolved_url: null }, { resolved_url: 'http://a/x' }],
    ['a preview that is empty', { preview: '' }, { preview: null }],
    [
      'null for all that is optional',
      { archived: null, unread: null, read_position: null, excerpt: null },
      {
        archived: false,
        unread: true,
        read_position: 0,
        excerpt: '',
      },
    ],
    [
      'blanks around texts',
      { title: ' \t\r\nT ', added_by: ' tv ', resolved_title: '\nR\n' },
      {
        title: 'T',
        added_by: 'tv',
        resolved_title: 'R',
      },
    ],
    [
      'blanks around addresses',
      { url: ' http://A/ ', preview: '\thttp://p/' },
      { url: 'http://A/', preview: 'http://p/' },
    ],
    [
      'texts for typed fields',
      { archived: 'TRUE', favorite: '1', unread: '0', word_count: ' 42 ', added_on: '7' },
      {
        archived: true,
        favorite: true,
        unread: false,
        word_count: 42,
        added_on: 7,
      },
    ],
  ])('takes %s', async (_, fields, expected) => {
    const { body } = await client(app.url).post('/articles').send(anArticle(fields)).expect(201);
    expect(body).toMatchObject(expected);
  });

  it('is stored on its first server timestamp, even when several come within a millisecond', async () => {
    app.setClock(NOW);
    const user = client(app.url);
    for (let count = 0; count < 3; count++) {
      const { body } = await user.post('/articles').send(anArticle()).expect(201);
      expect(body).toMatchObject({ last_modified: NOW + count, stored_on: NOW + count });
    }
  });

  it('ignores what the server sets and what nobody knows', async () => {
    app.setClock(NOW);
    const id = '11111111-2222-4333-8444-555555555555';
    const ignored = { id, last_modified: 'x', stored_on: -1, deleted: true, _id: 1, status: {}, constructor: 'x' };
    const { body } = await client(app.url).post('/articles').send(anArticle(ignored)).expect(201);
    expect(body.id).not.toBe(id);
    expect(body).toMatchObject({ last_modified: NOW, stored_on: NOW });
    expect(Object.keys(body as object)).toEqual(FIELD_NAMES);
  });

  it.each([
    'application/json',
    'text/plain',
    'application/octet-stream',
    'application/vnd.api+json; charset=utf-8',
    'x',
  ])('is read as JSON whatever its Content-Type: %s', async (type) => {
    const body = JSON.stringify(anArticle({ title: 'ä' }));
    const answer = await client(app.url).post('/articles').set('Content-Type', type).send(body).expect(201);
    expect(answer.body.title).toBe('ä');
  });

  it('may begin with a byte order mark', async () => {
    const body = `\ufeff${JSON.stringify(anArticle())}`;
    await client(app.url).post('/articles').set('Content-Type', 'application/json').send(body).expect(201);
  });

  it('lacks a field when its body is empty', async () => {
    const { body } = await client(app.url).post('/articles').expect(400);
    expect(body).toMatchObject({ errno: 108, message: 'added_by: missing' });
  });
});

describe('addresses are kept to the letter', () => {
  it.each([
    'https://EXAMPLE.com',
    'HTTPS://example.com/%7Euser/../a/./b',
    'https://example.com:443/?b=2&a=1#Fragment',
    'https://münchen.example/straße',
    'https://example.com/e\u0301',
    'https://example.com/😀',
    `https://example.com/${'ä'.repeat(2028)}`,
    'ftp://user:password@example.com/',
    'moz-extension://0f1e/reader?url=x',
  ])('%s', async (url) => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ url, preview: url }))
      .expect(201);
    expect(body).toMatchObject({ url, resolved_url: url, preview: url });
    const { body: found } = await device.get(`/articles?url=${encodeURIComponent(url)}`).expect(200);
    expect(found.items).toEqual([body]);
  });
});

describe('a POST of a URL that is there', () => {
  it.each([
    ['the same url', { url: 'http://a/1' }, { url: 'http://a/1' }],
    ['the same url with blanks', { url: 'http://a/1' }, { url: ' http://a/1\n' }],
    [
      'the same resolved_url',
      { url: 'http://a/1', resolved_url: 'http://r/' },
      { url: 'http://a/2', resolved_url: 'http://r/' },
    ],
    ['a url that is its resolved_url', { url: 'http://a/1', resolved_url: 'http://r/' }, { url: 'http://r/' }],
    ['its url as resolved_url', { url: 'http://a/1' }, { url: 'http://a/2', resolved_url: 'http://a/1' }],
    ['the same url and another resolved_url', { url: 'http://a/1' }, { url: 'http://a/1', resolved_url: 'http://r/' }],
  ])('answers 200 with the untouched record for %s', async (_, first, second) => {
    const device = client(app.url);
    const { body: original } = await device
      .post('/articles')
      .send(anArticle({ ...first, title: 'first' }))
      .expect(201);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ ...second, title: 'second', favorite: true, added_by: 'tv' }))
      .expect(200);
    expect(body).toEqual(original);
    const list = await device.get('/articles').expect(200);
    expect(list.body.items).toEqual([original]);
    expect(list.headers['last-modified']).toBe(String(original.last_modified));
    expect(list.headers['total-records']).toBe('1');
  });

  it.each([
    ['another fragment', { url: 'http://a/1#x' }, { url: 'http://a/1#y' }],
    ['no fragment', { url: 'http://a/1#' }, { url: 'http://a/1' }],
    ['another case', { url: 'http://a/x' }, { url: 'http://A/x' }],
    ['a trailing slash', { url: 'http://a' }, { url: 'http://a/' }],
    ['another encoding', { url: 'http://a/%41' }, { url: 'http://a/A' }],
    ['another normal form', { url: 'http://a/\u00e9' }, { url: 'http://a/e\u0301' }],
    [
      'its resolved_url as url with another resolved_url',
      { url: 'http://a/1', resolved_url: 'http://r/' },
      {
        url: 'http://r/',
        resolved_url: 'http://s/',
      },
    ],
    [
      'its url as resolved_url while its own differs',
      { url: 'http://a/1', resolved_url: 'http://r/' },
      {
        url: 'http://a/2',
        resolved_url: 'http://a/1',
      },
    ],
    [
      'a difference after 1,000 characters',
      { url: `http://a/${'x'.repeat(1000)}1` },
      { url: `http://a/${'x'.repeat(1000)}2` },
    ],
  ])('is a new article with %s', async (_, first, second) => {
    const device = client(app.url);
    await device.post('/articles').send(anArticle(first)).expect(201);
    await device.post('/articles').send(anArticle(second)).expect(201);
  });

  it('answers with the article of that url when another one has the resolved_url', async () => {
    const device = client(app.url);
    await device
      .post('/articles')
      .send(anArticle({ url: 'http://a/1', resolved_url: 'http://r/1' }))
      .expect(201);
    const { body: byUrl } = await device
      .post('/articles')
      .send(anArticle({ url: 'http://a/2', resolved_url: 'http://r/2' }))
      .expect(201);
    const sent = anArticle({ url: 'http://a/2', resolved_url: 'http://r/1' });
    expect((await device.post('/articles').send(sent).expect(200)).body).toEqual(byUrl);
  });

  it('is a new article when the old one is deleted', async () => {
    const device = client(app.url);
    requireNewUser(device);
    const sent = anArticle();
    const { body: first } = await device.post('/articles').send(sent).expect(201);
    await device.delete(`/articles/${first.id}`).expect(200);
    const { body: second } = await device.post('/articles').send(sent).expect(201);
    expect(second.id).not.toBe(first.id);
    expect((await device.get('/articles?_since=0').expect(200)).body.items).toHaveLength(2);
  });

  it('is a new article when the old one has moved to another resolved_url', async () => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://r/1' }))
      .expect(201);
    await device.patch(`/articles/${body.id}`).send({ resolved_url: 'http://r/2' }).expect(200);
    await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://r/1' }))
      .expect(201);
    const again = await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://r/2' }))
      .expect(200);
    expect(again.body.id).toBe(body.id);
  });

  it('is a new article for another user', async () => {
    const sent = anArticle();
    await client(app.url).post('/articles').send(sent).expect(201);
    await client(app.url).post('/articles').send(sent).expect(201);
  });

  it('is refused when another field is wrong', async () => {
    const device = client(app.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    const answer = await device
      .post('/articles')
      .send({ ...body, unread: 'maybe' })
      .expect(400);
    expect(answer.body).toMatchObject({ errno: 109, message: 'unread: not a boolean' });
  });
});

describe('simultaneous POSTs', () => {
  it.each([
    ['one url', () => ({ url: 'https://example.com/race' })],
    [
      'one resolved_url',
      (at: number) => ({ url: `https://example.com/${at}`, resolved_url: 'https://example.com/race' }),
    ],
  ])('of %s create one article', async (_, fields) => {
    const device = client(app.url);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => device.post('/articles').send(anArticle(fields(at)))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const list = await device.get('/articles').expect(200);
    expect(list.body.items).toEqual([answers[0]!.body]);
    expect(list.headers['total-records']).toBe('1');
  });

  it('of one url create one article also when there are as many as a user may have', async () => {
    const device = client(app.url);
    const create = () => device.post('/articles').send(anArticle({ url: 'https://example.com/race' }));
    const statuses = (await Promise.all(Array.from({ length: 250 }, create))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array<number>(249).fill(200), 201]);
  });
});
