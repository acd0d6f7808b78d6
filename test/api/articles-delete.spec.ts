import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CollectionClock } from '../../src/accounts/collection-clock.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { deviceWith, type Item, timestampOf } from '../support/device-with.js';
import { basicAuthorization, client, requireNewUser, requireOwnService } from '../support/client.js';
import { exchange } from './raw-http.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('DELETE of an article', () => {
  it('answers 200 with a tombstone of three fields', async () => {
    const { device, items } = await deviceWith(app, {});
    const { body } = await device.delete(`/articles/${items[0]!.id}`).expect(200);
    expect(body).toEqual({ id: items[0]!.id, last_modified: expect.any(Number), deleted: true });
    expect(body.last_modified).toBeGreaterThan(items[0]!.last_modified);
    expect(await timestampOf(device)).toBe(body.last_modified);
  });

  it('leaves the tombstone in listings by time only', async () => {
    const { device, items } = await deviceWith(app, {}, {});
    const { body: tombstone } = await device.delete(`/articles/${items[0]!.id}`).expect(200);
    expect((await device.get('/articles').expect(200)).body.items).toEqual([items[1]]);
    const since = await device.get(`/articles?_since=${items[1]!.last_modified}`).expect(200);
    expect(since.body.items).toEqual([tombstone]);
  });

  it('takes an id in upper case and ignores the query string and the body', async () => {
    const { device, items } = await deviceWith(app, {});
    await device.delete(`/articles/${items[0]!.id.toUpperCase()}?_limit=x&a=b`).send('{not json').expect(200);
  });

  it('answers 404 / 111 the second time, and changes nothing', async () => {
    const { device, items } = await deviceWith(app, {});
    const { body: tombstone } = await device.delete(`/articles/${items[0]!.id}`).expect(200);
    const { body } = await device.delete(`/articles/${items[0]!.id}`).expect(404);
    expect(body).toMatchObject({ code: 404, errno: 111 });
    expect(await timestampOf(device)).toBe(tombstone.last_modified);
  });

  it('succeeds once when many want it', async () => {
    const { device, items } = await deviceWith(app, {});
    const answers = await Promise.all(Array.from({ length: 10 }, () => device.delete(`/articles/${items[0]!.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
    expect((await device.head('/articles')).headers['total-records']).toBe('0');
  });
});

describe('DELETE of the collection', () => {
  it('answers 200 with a tombstone for each article, each with a timestamp of its own', async () => {
    const { device, items } = await deviceWith(app, {}, {}, {}, {}, {});
    requireNewUser(device);
    const { body } = await device.delete('/articles').expect(200);
    const tombstones = body.items as Item[];
    expect(tombstones.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    for (const tombstone of tombstones)
      expect(tombstone).toEqual({ id: tombstone.id, last_modified: expect.any(Number), deleted: true });
    const times = tombstones.map(({ last_modified }) => last_modified);
    expect(new Set(times).size).toBe(5);
    expect(Math.min(...times)).toBeGreaterThan(items.at(-1)!.last_modified);
    expect(await timestampOf(device)).toBe(Math.max(...times));
    const list = await device.get('/articles?_since=0').expect(200);
    expect(list.body.items).toEqual(tombstones.toSorted((a, b) => a.last_modified - b.last_modified));
  });

  it('deletes what matches its filters', async () => {
    const { device, items } = await deviceWith(
      app,
      { title: 'x', unread: false },
      { title: 'x' },
      { title: 'y', unread: false },
    );
    const { body } = await device.delete('/articles?title=x&not_unread=true').expect(200);
    expect(body.items).toMatchObject([{ id: items[0]!.id }]);
    const left = await device.get('/articles').expect(200);
    expect(left.body.items).toEqual([items[2], items[1]]);
    expect(left.headers['total-records']).toBe('2');
  });

  it.each([
    ['_since', (items: Item[]) => `_since=${items[0]!.last_modified}`, [1, 2]],
    ['_to', (items: Item[]) => `_to=${items[2]!.last_modified}`, [0, 1]],
    ['last_modified', (items: Item[]) => `last_modified=${items[1]!.last_modified}`, [1]],
    ['id', (items: Item[]) => `id=${items[1]!.id}`, [1]],
    ['not_id', (items: Item[]) => `not_id=${items[1]!.id}`, [0, 2]],
    ['deleted', () => 'deleted=false', [0, 1, 2]],
    ['a name with an underscore that nobody knows', () => '_cache_buster=1', [0, 1, 2]],
  ])('takes %s', async (_, query, expected) => {
    const { device, items } = await deviceWith(app, {}, {}, {});
    const { body } = await device.delete(`/articles?${query(items)}`).expect(200);
    const deleted = (body.items as Item[]).map(({ id }) => items.findIndex((item) => item.id === id));
    expect(deleted.sort()).toEqual(expected);
  });

  it.each(['?title=none', '?_since=9007199254740991', '?deleted=true', '?deleted=true&_since=0', '?id=1'])(
    'answers 200 without items and leaves the timestamp when nothing matches: %s',
    async (query) => {
      const { device, items } = await deviceWith(app, {}, {});
      await device.delete(`/articles/${items[1]!.id}`).expect(200);
      const before = await timestampOf(device);
      expect((await device.delete(`/articles${query}`).expect(200)).body).toEqual({ items: [] });
      expect(await timestampOf(device)).toBe(before);
    },
  );

  it('answers 200 without items for a new user', async () => {
    expect((await client(app.url).delete('/articles').expect(200)).body).toEqual({ items: [] });
  });

  it('never deletes a tombstone again', async () => {
    const { device, items } = await deviceWith(app, {}, {});
    requireNewUser(device);
    const { body: tombstone } = await device.delete(`/articles/${items[0]!.id}`).expect(200);
    expect((await device.delete('/articles?_since=0').expect(200)).body.items).toMatchObject([{ id: items[1]!.id }]);
    const list = await device.get('/articles?_since=0').expect(200);
    expect(list.body.items).toContainEqual(tombstone);
  });

  it.each(['_limit=1', '_limit=', '_sort=title', '_sort=', '_token=x', '_token=', '%5Flimit=1'])(
    'refuses %s with 400 / 107 and deletes nothing',
    async (parameter) => {
      const { device, items } = await deviceWith(app, {});
      const name = /limit|sort|token/.exec(parameter)![0];
      const { body } = await device.delete(`/articles?unread=true&${parameter}`).expect(400);
      expect(body).toMatchObject({ code: 400, errno: 107, message: `_${name}: not allowed in a DELETE` });
      await device.get(`/articles/${items[0]!.id}`).expect(200);
    },
  );

  it.each([
    ['colour=red', 'colour: unknown field'],
    ['unread=maybe', 'unread: not a boolean'],
    ['_since=1&_since=2', '_since: given more than once'],
  ])('refuses a wrong filter with 400 / 107: %s', async (query, message) => {
    const { device, items } = await deviceWith(app, {});
    const { body } = await device.delete(`/articles?${query}`).expect(400);
    expect(body).toMatchObject({ code: 400, errno: 107, message });
    await device.get(`/articles/${items[0]!.id}`).expect(200);
  });

  it('ignores a body', async () => {
    const { device } = await deviceWith(app, {});
    expect((await device.delete('/articles').send('{not json').expect(200)).body.items).toHaveLength(1);
  });

  it('deletes hundreds at once', async () => {
    const device = client(app.url);
    requireNewUser(device);
    const count = 450;
    for (let start = 0; start < count; start += 50)
      await Promise.all(Array.from({ length: 50 }, () => device.post('/articles').send(anArticle()).expect(201)));
    const { body } = await device.delete('/articles').expect(200);
    expect(new Set((body.items as Item[]).map(({ last_modified }) => last_modified)).size).toBe(count);
    const after = await device.head('/articles?_since=0').expect(200);
    expect(after.headers['total-records']).toBe(String(count));
    expect(after.headers['last-modified']).toBe(String((body.items as Item[]).at(-1)!.last_modified));
    expect((await device.head('/articles')).headers['total-records']).toBe('0');
  });
});

const ID = '00000000-0000-4000-8000-000000000000';

describe('a disabled DELETE of the collection', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ DELETE_COLLECTION_ENABLED: 'false' });
  });
  afterAll(() => strict.close());

  it.each(['OPTIONS', 'PUT', 'PATCH'])('is in no Allow of a %s', async (method) => {
    const headers = { Authorization: basicAuthorization('a', 'b'), 'Content-Length': '0' };
    const answer = await exchange(strict.url, method, '/v2/articles', headers);
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
    const record = await exchange(strict.url, method === 'PATCH' ? 'PUT' : method, `/v2/articles/${ID}`, headers);
    expect(record.headers.allow).toBe('DELETE, GET, HEAD, PATCH');
  });

  it.each(['', '?unread=true', '?colour=red', '?_limit=1'])('answers 405 / 115 to %j', async (query) => {
    const device = client(strict.url);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const { body, headers } = await device.delete(`/articles${query}`).set('If-Unmodified-Since', '1').expect(405);
    expect(body).toMatchObject({ code: 405, errno: 115 });
    expect(headers.allow).toBe('GET, HEAD, POST');
    await device.get(`/articles/${article.id}`).expect(200);
  });

  it('answers 401 without credentials', async () => {
    await client(strict.url).delete('/articles').set('Authorization', '').expect(401);
  });

  it('leaves DELETE of one article', async () => {
    const device = client(strict.url);
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    await device.delete(`/articles/${body.id}`).expect(200);
  });
});

it('DELETE of many announces the last timestamp that it gave', async () => {
  requireOwnService('it listens to the changes of the service');
  const { device } = await deviceWith(app, {}, {}, {});
  const announce = vi.spyOn(app.nest.get(CollectionClock), 'announce');
  const { body } = await device.delete('/articles').expect(200);
  expect(announce.mock.calls.map(([, time]) => time)).toEqual([(body.items as Item[]).at(-1)!.last_modified]);
  announce.mockRestore();
});
