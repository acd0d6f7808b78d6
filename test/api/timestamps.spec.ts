import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { type Item, timestampOf } from '../support/device-with.js';
import { client, clientWith, type Client, requireNewUser, requireOwnService } from '../support/client.js';
import { createTestDatabase } from '../support/database.js';

const NOW = 1_900_000_000_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
afterEach(() => app.setClock(undefined));

async function create(device: Client, count: number): Promise<Item[]> {
  const created: Item[] = [];
  for (let at = 0; at < count; at++)
    created.push((await device.post('/articles').send(anArticle()).expect(201)).body as Item);
  return created;
}

describe('the timestamp of a change', () => {
  it('is the present time in milliseconds', async () => {
    app.setClock(NOW);
    const device = client(app.url);
    const [article] = await create(device, 1);
    expect(article!.last_modified).toBe(NOW);
    app.setClock(NOW + 5000);
    const patched = await device.patch(`/articles/${article!.id}`).send({ favorite: true }).expect(200);
    expect(patched.body.last_modified).toBe(NOW + 5000);
    app.setClock(NOW + 9000);
    const deleted = await device.delete(`/articles/${article!.id}`).expect(200);
    expect(deleted.body.last_modified).toBe(NOW + 9000);
    expect(await timestampOf(device)).toBe(NOW + 9000);
  });

  it('is one more than the one before within a millisecond', async () => {
    app.setClock(NOW);
    const device = client(app.url);
    const [first, second] = await create(device, 2);
    const patched = await device.patch(`/articles/${first!.id}`).send({ title: 'T' }).expect(200);
    const deleted = await device.delete(`/articles/${second!.id}`).expect(200);
    const { body } = await device.delete('/articles').expect(200);
    const changes = [first, second, patched.body, deleted.body, ...body.items] as { last_modified: number }[];
    const times = changes.map(({ last_modified }) => last_modified);
    expect(times).toEqual([NOW, NOW + 1, NOW + 2, NOW + 3, NOW + 4]);
    expect(await timestampOf(device)).toBe(NOW + 4);
  });

  it('goes on rising when the clock is moved backwards', async () => {
    const device = client(app.url);
    app.setClock(NOW);
    const [first] = await create(device, 1);
    app.setClock(NOW - 86_400_000);
    const [second, third] = await create(device, 2);
    expect([first, second, third].map((article) => article!.last_modified)).toEqual([NOW, NOW + 1, NOW + 2]);
    const { body } = await device.delete('/articles').expect(200);
    const buried = body.items as { last_modified: number }[];
    expect(buried.map(({ last_modified }) => last_modified)).toEqual([NOW + 3, NOW + 4, NOW + 5]);
    app.setClock(NOW + 10_000);
    expect((await create(device, 1))[0]!.last_modified).toBe(NOW + 10_000);
  });

  it('is the user’s own: nobody else’s change moves it', async () => {
    const [device, other] = [client(app.url), client(app.url)];
    await create(device, 1);
    const before = await timestampOf(device);
    await create(other, 3);
    expect(await timestampOf(device)).toBe(before);
  });

  it('is distinct for fifty writers at once', async () => {
    const device = client(app.url);
    requireNewUser(device);
    const articles = await create(device, 30);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        if (at < 20) return device.post('/articles').send(anArticle()).expect(201);
        if (at < 40)
          return device
            .patch(`/articles/${articles[at - 20]!.id}`)
            .send({ title: `T${at}` })
            .expect(200);
        return device.delete(`/articles/${articles[at - 20]!.id}`).expect(200);
      }),
    );
    const times = answers.map(({ body }) => body.last_modified as number);
    expect(new Set(times).size).toBe(50);
    expect(Math.min(...times)).toBeGreaterThan(articles.at(-1)!.last_modified);
    const { body, headers } = await device.get('/articles?_since=0').expect(200);
    const listed = (body.items as { last_modified: number }[]).map(({ last_modified }) => last_modified);
    expect(new Set(listed).size).toBe(50);
    expect(headers['last-modified']).toBe(String(Math.max(...listed)));
    expect(headers['total-records']).toBe('50');
  });
});

describe('the timestamp of the collection stays', () => {
  it('when it was never written to, from the first contact on', async () => {
    const device = client(app.url);
    app.setClock(NOW);
    expect(await timestampOf(device)).toBe(NOW);
    app.setClock(NOW + 60_000);
    expect(await timestampOf(device)).toBe(NOW);
    expect((await device.get('/articles?_since=0').expect(200)).headers['last-modified']).toBe(String(NOW));
  });

  it('the same for many first contacts at once', async () => {
    const device = client(app.url);
    const answers = await Promise.all(Array.from({ length: 20 }, () => device.get('/articles').expect(200)));
    expect(new Set(answers.map(({ headers }) => headers['last-modified'])).size).toBe(1);
  });

  it('when nothing changes', async () => {
    const device = client(app.url);
    const [article, other] = await create(device, 2);
    const path = `/articles/${article!.id}`;
    const before = await timestampOf(device);
    for (const [status, test] of [
      [200, device.get('/articles')],
      [200, device.get(path)],
      [200, device.patch(path).send({})],
      [200, device.patch(path).send({ unread: true, favorite: false })],
      [200, device.patch(path).send(article)],
      [200, device.post('/articles').send(article)],
      [200, device.delete('/articles?title=none')],
      [400, device.post('/articles').send({})],
      [400, device.patch(path).send({ unread: 'maybe' })],
      [400, device.patch(path).send({ url: 'http://other/' })],
      [404, device.patch(`/articles/${randomUUID()}`).send({ favorite: true })],
      [404, device.delete(`/articles/${randomUUID()}`)],
      [409, device.patch(path).send({ resolved_url: other!.url })],
      [412, device.patch(path).set('If-Unmodified-Since', '1').send({ favorite: true })],
      [412, device.delete(path).set('If-Unmodified-Since', '1')],
      [412, device.delete('/articles').set('If-Unmodified-Since', '1')],
      [412, device.post('/articles').set('If-Unmodified-Since', '1').send(anArticle())],
    ] as const) {
      await test.expect(status);
      expect(await timestampOf(device)).toBe(before);
    }
    expect((await device.get(path).expect(200)).body).toEqual(article);
  });
});

describe('a device that polls with the last timestamp it saw', () => {
  it('misses nothing while others write', async () => {
    const device = client(app.url);
    requireNewUser(device);
    const known = new Map<string, { id: string; last_modified: number }>();
    let since = 0;
    const poll = async () => {
      const { body, headers } = await device.get(`/articles?_since=${since}`).expect(200);
      for (const item of body.items as { id: string; last_modified: number }[]) known.set(item.id, item);
      expect(Number(headers['last-modified'])).toBeGreaterThanOrEqual(since);
      since = Number(headers['last-modified']);
    };
    const write = async (writer: number) => {
      for (const { id } of await create(device, 6)) {
        await device
          .patch(`/articles/${id}`)
          .send({ title: `writer ${writer}` })
          .expect(200);
        if (writer % 2) await device.delete(`/articles/${id}`).expect(200);
      }
    };
    let isWriting = true;
    const writing = Promise.all(Array.from({ length: 6 }, (_, writer) => write(writer))).finally(
      () => (isWriting = false),
    );
    while (isWriting) await poll();
    await writing;
    await poll();
    const { body } = await device.get('/articles?_since=0').expect(200);
    expect([...known.values()].sort((a, b) => a.last_modified - b.last_modified)).toEqual(body.items);
  });
});

describe('two instances on one database whose clocks are an hour apart', () => {
  it('give out rising timestamps, take each other’s page tokens and see each other’s changes', async () => {
    const database = await createTestDatabase();
    const instances = [await startApp({}, database), await startApp({}, database)];
    instances[1]!.setClock(Date.now() - 3_600_000);
    const { authorization } = client('');
    const devices = instances.map(({ url }) => clientWith(url, authorization));
    const times: number[] = [];
    for (let at = 0; at < 10; at++)
      times.push((await devices[at % 2]!.post('/articles').send(anArticle()).expect(201)).body.last_modified as number);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    const first = await devices[0]!.get('/articles?_limit=4').expect(200);
    const second = await devices[1]!.get(`/articles${new URL(first.headers['next-page']!).search}`).expect(200);
    const walked = [...first.body.items, ...second.body.items] as { last_modified: number }[];
    expect(walked.map(({ last_modified }) => last_modified)).toEqual(times.toReversed().slice(0, 8));
    for (const instance of instances) await instance.close();
    await database.drop();
  });
});

describe('a clock that is behind the articles, as in a torn backup,', () => {
  const HOUR_MS = 3_600_000;

  it.each<[string, (device: Client, article: Item) => Promise<Item>]>([
    ['POST', async (device) => (await device.post('/articles').send(anArticle()).expect(201)).body as Item],
    [
      'PATCH',
      async (device, { id }) =>
        (await device.patch(`/articles/${id}`).send({ favorite: true }).expect(200)).body as Item,
    ],
    ['DELETE', async (device, { id }) => (await device.delete(`/articles/${id}`).expect(200)).body as Item],
    [
      'DELETE of many',
      async (device, { id }) => (await device.delete(`/articles?id=${id}`).expect(200)).body.items[0] as Item,
    ],
  ])('is raised above them by a %s', async (_, write) => {
    const device = client(app.url);
    requireOwnService('its clocks are set back in the database');
    const [article, newest] = await create(device, 2);
    const later = newest!.last_modified + HOUR_MS;
    await app.database.onSession(async (session) => {
      const from = [later, newest!.last_modified];
      await session.run('UPDATE articles SET last_modified = ? WHERE last_modified = ?', from);
      await session.run('UPDATE accounts SET last_modified = ? - 1 WHERE last_modified = ?', from);
    });
    const written = await write(device, article!);
    expect(written.last_modified).toBe(later + 1);
    expect(await timestampOf(device)).toBe(later + 1);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ url: newest!.url }))
      .expect(200);
    expect(body.id).toBe(newest!.id);
  });
});
