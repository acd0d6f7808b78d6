import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client, requireNewUser } from '../support/client.js';

let app: TestApp;
/** Somebody with an article, and somebody else who knows everything about it. */
let owner: Client;
let stranger: Client;
let article: { id: string; url: string; last_modified: number };

beforeAll(async () => {
  app = await startApp();
  [owner, stranger] = [client(app.url), client(app.url)];
  const sent = anArticle({ resolved_url: 'https://example.com/resolved', title: 'secret' });
  article = (await owner.post('/articles').send(sent).expect(201)).body as typeof article;
  await stranger.get('/articles').expect(200);
});
afterAll(() => app.close());

describe('an article of another user', () => {
  it.each([
    ['GET', 'get', {}, undefined],
    ['GET with a condition', 'get', { 'If-Modified-Since': '9999999999999' }, undefined],
    ['GET with a failing condition', 'get', { 'If-Unmodified-Since': '1' }, undefined],
    ['HEAD', 'head', {}, undefined],
    ['PATCH', 'patch', {}, { favorite: true }],
    ['PATCH without body', 'patch', {}, undefined],
    ['PATCH with a bad value', 'patch', {}, { favorite: 'maybe' }],
    ['PATCH with a failing condition', 'patch', { 'If-Unmodified-Since': '1' }, { favorite: true }],
    ['DELETE', 'delete', {}, undefined],
    ['DELETE with a failing condition', 'delete', { 'If-Unmodified-Since': '1' }, undefined],
  ] as const)('looks to %s like one that does not exist', async (_, verb, headers, body) => {
    const answers = [];
    for (const id of [article.id, randomUUID()]) {
      const test = stranger[verb](`/articles/${id}`).set(headers);
      const { status, headers: received, text } = await (body === undefined ? test : test.send(body));
      const { date: _, 'x-request-id': __, ...comparable } = received;
      answers.push({ status, text, comparable });
    }
    expect(answers[0]!.status).toBe(404);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('is in no listing and no count', async () => {
    requireNewUser(stranger);
    for (const query of [
      '',
      '?_since=0',
      `?id=${article.id}`,
      `?url=${encodeURIComponent(article.url)}`,
      '?title=secret',
    ]) {
      const { body, headers } = await stranger.get(`/articles${query}`).expect(200);
      expect(body.items).toEqual([]);
      expect(headers['total-records']).toBe('0');
      expect((await stranger.head(`/articles${query}`)).headers['total-records']).toBe('0');
    }
  });

  it('is not deleted with the collection', async () => {
    for (const query of ['', `?id=${article.id}`, '?_since=0'])
      expect((await stranger.delete(`/articles${query}`).expect(200)).body.items).toEqual([]);
    await owner.get(`/articles/${article.id}`).expect(200);
  });

  it('is in nobody’s way', async () => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ url: article.url }))
      .expect(201);
    expect(body.id).not.toBe(article.id);
    const { body: other } = await device.post('/articles').send(anArticle()).expect(201);
    await device.patch(`/articles/${other.id}`).send({ resolved_url: 'https://example.com/resolved' }).expect(200);
  });

  it('leaves the timestamps of others alone', async () => {
    const before = (await stranger.head('/articles')).headers['last-modified'];
    await owner.patch(`/articles/${article.id}`).send({ excerpt: randomUUID() }).expect(200);
    expect((await stranger.head('/articles')).headers['last-modified']).toBe(before);
  });
});

describe('two users who do the same at once', () => {
  it('both get their own', async () => {
    const devices = Array.from({ length: 10 }, () => client(app.url));
    const sent = anArticle();
    const created = await Promise.all(devices.map((device) => device.post('/articles').send(sent).expect(201)));
    expect(new Set(created.map(({ body }) => body.id as string)).size).toBe(10);
    const lists = await Promise.all(devices.map((device) => device.get('/articles').expect(200)));
    expect(lists.map(({ body }) => body.items as unknown)).toEqual(created.map(({ body }) => [body as unknown]));
  });
});

describe('users are told apart', () => {
  const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

  it.each([
    ['by name', 'one:secret', 'two:secret'],
    ['by password', 'me:one', 'me:two'],
    ['by the case of the name', 'me:secret', 'Me:secret'],
    ['by the case of the password', 'me:secret', 'me:Secret'],
    ['by what follows a colon in the password', 'me:secret:a', 'me:secret:b'],
    ['by where the first colon is', 'me:a:b', 'me:a'],
    ['by blanks', 'me:secret', 'me:secret '],
    ['by an empty password', 'me:', 'me: '],
    ['by accents', 'jürgen:secret', 'ju\u0308rgen:secret'],
  ])('%s', async (_, one, two) => {
    const mark = randomUUID();
    const sent = anArticle({ title: mark });
    const first = client(app.url);
    const created = await first
      .post('/articles')
      .set('Authorization', basic(`${mark}${one}`))
      .send(sent)
      .expect(201);
    const other = await first
      .get('/articles')
      .set('Authorization', basic(`${mark}${two}`))
      .expect(200);
    expect(other.body.items).toEqual([]);
    const again = await first
      .get('/articles')
      .set('Authorization', basic(`${mark}${one}`))
      .expect(200);
    expect(again.body.items).toEqual([created.body]);
  });
});
