import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client } from '../support/client.js';

type Verb = 'get' | 'head' | 'post' | 'patch' | 'delete';
interface Scene {
  device: Client;
  /** An article, and a later one that is the last change of the collection. */
  first: { id: string; last_modified: number };
  last: { id: string; last_modified: number };
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function scene(device = client(app.url)): Promise<Scene> {
  const { body: first } = await device.post('/articles').send(anArticle()).expect(201);
  const { body: last } = await device.post('/articles').send(anArticle()).expect(201);
  return { device, first, last };
}

/** Sends the verb with a condition that lies `offset` from the current timestamp of the target. */
async function answer(
  { device, first, last }: Scene,
  verb: Verb,
  target: 'record' | 'collection',
  offsets: { modified?: number; unmodified?: number },
) {
  const current = target === 'record' ? first.last_modified : last.last_modified;
  const test = device[verb](target === 'record' ? `/articles/${first.id}` : '/articles');
  if (offsets.modified !== undefined) test.set('If-Modified-Since', String(current + offsets.modified));
  if (offsets.unmodified !== undefined) test.set('If-Unmodified-Since', String(current + offsets.unmodified));
  if (verb === 'post') test.send(anArticle());
  if (verb === 'patch') test.send({ favorite: true });
  return { response: await test, current };
}

describe('If-Modified-Since', () => {
  it.each<[Verb, 'record' | 'collection', number, number]>([
    ['get', 'record', -1, 200],
    ['get', 'record', 0, 304],
    ['get', 'record', 1, 304],
    ['head', 'record', -1, 200],
    ['head', 'record', 0, 304],
    ['get', 'collection', -1, 200],
    ['get', 'collection', 0, 304],
    ['get', 'collection', 1, 304],
    ['head', 'collection', -1, 200],
    ['head', 'collection', 0, 304],
    ['post', 'collection', 0, 201],
    ['patch', 'record', 0, 200],
    ['delete', 'record', 0, 200],
    ['delete', 'collection', 0, 200],
  ])('on %s of the %s at %i answers %i', async (verb, target, modified, status) => {
    const { response, current } = await answer(await scene(), verb, target, { modified });
    const { text, headers } = response;
    expect(response.status).toBe(status);
    if (status !== 304) return;
    expect(text || '').toBe('');
    expect(headers['last-modified']).toBe(String(current));
    expect(headers).not.toHaveProperty('total-records');
    expect(headers).not.toHaveProperty('content-length');
  });

  it('on a listing counts for the whole collection whatever is filtered', async () => {
    const { device, first, last } = await scene();
    const filtered = (since: number) =>
      device.get(`/articles?id=${first.id}&_limit=1`).set('If-Modified-Since', String(since));
    await filtered(first.last_modified).expect(200);
    await filtered(last.last_modified).expect(304);
  });

  it('answers 304 until something changes', async () => {
    const { device, first, last } = await scene();
    const poll = () => device.get('/articles').set('If-Modified-Since', String(last.last_modified));
    await poll().expect(304);
    await device.patch(`/articles/${first.id}`).send({}).expect(200);
    await poll().expect(304);
    await device.delete(`/articles/${first.id}`).expect(200);
    await poll().expect(200);
  });

  it('of a new user answers 304 from the first contact on', async () => {
    const device = client(app.url);
    const { headers } = await device.get('/articles').expect(200);
    await device.get('/articles').set('If-Modified-Since', headers['last-modified']!).expect(304);
  });

  it('does not hide that a record is gone or a parameter wrong', async () => {
    const { device } = await scene();
    const condition = ['If-Modified-Since', '9999999999999999'] as const;
    await device
      .get(`/articles/${randomUUID()}`)
      .set(...condition)
      .expect(404);
    await device
      .get('/articles/1')
      .set(...condition)
      .expect(404);
    await device
      .get('/articles?colour=red')
      .set(...condition)
      .expect(400);
    await device
      .get('/articles')
      .set(...condition)
      .set('Authorization', '')
      .expect(401);
  });
});

describe('If-Unmodified-Since', () => {
  it.each<[Verb, 'record' | 'collection', number, number]>([
    ['get', 'record', -1, 412],
    ['get', 'record', 0, 200],
    ['head', 'record', -1, 412],
    ['head', 'record', 0, 200],
    ['patch', 'record', -1, 412],
    ['patch', 'record', 0, 200],
    ['patch', 'record', 1, 200],
    ['delete', 'record', -1, 412],
    ['delete', 'record', 0, 200],
    ['get', 'collection', -1, 412],
    ['get', 'collection', 0, 200],
    ['head', 'collection', -1, 412],
    ['head', 'collection', 0, 200],
    ['post', 'collection', -1, 412],
    ['post', 'collection', 0, 201],
    ['post', 'collection', 1, 201],
    ['delete', 'collection', -1, 412],
    ['delete', 'collection', 0, 200],
  ])('on %s of the %s at %i answers %i', async (verb, target, unmodified, status) => {
    const given = await scene();
    const { response, current } = await answer(given, verb, target, { unmodified });
    const { body, headers } = response;
    expect(response.status).toBe(status);
    if (status !== 412) return;
    expect(headers['last-modified']).toBe(String(current));
    if (verb !== 'head') expect(body).toMatchObject({ code: 412, errno: 114 });
    const after = await given.device.head('/articles').expect(200);
    expect(after.headers['last-modified']).toBe(String(given.last.last_modified));
    expect(after.headers['total-records']).toBe('2');
  });

  it('of a record is about that record only', async () => {
    const { device, first } = await scene();
    const condition = String(first.last_modified);
    await device
      .patch(`/articles/${first.id}`)
      .set('If-Unmodified-Since', condition)
      .send({ favorite: true })
      .expect(200);
    await device
      .patch(`/articles/${first.id}`)
      .set('If-Unmodified-Since', condition)
      .send({ favorite: false })
      .expect(412);
  });

  it('is judged even when nothing would change', async () => {
    const { device, first } = await scene();
    const before = String(first.last_modified - 1);
    await device.patch(`/articles/${first.id}`).set('If-Unmodified-Since', before).send({}).expect(412);
    await device.delete('/articles?title=none').set('If-Unmodified-Since', before).expect(412);
  });

  it('is judged before If-Modified-Since', async () => {
    const given = await scene();
    for (const target of ['record', 'collection'] as const) {
      expect((await answer(given, 'get', target, { modified: 0, unmodified: -1 })).response.status).toBe(412);
      expect((await answer(given, 'get', target, { modified: 0, unmodified: 0 })).response.status).toBe(304);
      expect((await answer(given, 'get', target, { modified: -1, unmodified: 0 })).response.status).toBe(200);
    }
  });

  it('of a new user is judged against the first contact', async () => {
    await client(app.url).post('/articles').set('If-Unmodified-Since', '5').send(anArticle()).expect(412);
    await client(app.url).delete('/articles').set('If-Unmodified-Since', '5').expect(412);
    const device = client(app.url);
    const { headers } = await device.get('/articles').expect(200);
    const current = headers['last-modified']!;
    await device.post('/articles').set('If-Unmodified-Since', current).send(anArticle()).expect(201);
  });

  describe('on POST of a URL that is there', () => {
    it('answers 412 when the collection changed', async () => {
      const { device, first, last } = await scene();
      const { body } = await device.get(`/articles/${first.id}`).expect(200);
      const condition = String(last.last_modified - 1);
      await device.post('/articles').set('If-Unmodified-Since', condition).send(body).expect(412);
    });

    it('answers 200 when it did not', async () => {
      const { device, first, last } = await scene();
      const { body } = await device.get(`/articles/${first.id}`).expect(200);
      for (const condition of [last.last_modified, last.last_modified + 1]) {
        const again = await device
          .post('/articles')
          .set('If-Unmodified-Since', String(condition))
          .send(body)
          .expect(200);
        expect(again.body).toEqual(body);
      }
    });
  });

  it('comes after the body on POST', async () => {
    const { device } = await scene();
    const post = () => device.post('/articles').set('If-Unmodified-Since', '1');
    expect((await post().set('Content-Type', 'application/json').send('{').expect(400)).body.errno).toBe(106);
    expect((await post().send({}).expect(400)).body.errno).toBe(108);
    expect(
      (
        await post()
          .send(anArticle({ unread: 'maybe' }))
          .expect(400)
      ).body.errno,
    ).toBe(109);
    expect((await post().send(anArticle()).expect(412)).body.errno).toBe(114);
  });

  it('comes after the parameters on DELETE', async () => {
    const { device } = await scene();
    const remove = (query: string) => device.delete(`/articles?${query}`).set('If-Unmodified-Since', '1');
    expect((await remove('colour=red').expect(400)).body.errno).toBe(107);
    expect((await remove('_limit=1').expect(400)).body.errno).toBe(107);
    await remove('').expect(412);
  });
});

describe('a condition', () => {
  const verbs: [Verb, string][] = [
    ['get', '/articles'],
    ['head', '/articles'],
    ['post', '/articles'],
    ['delete', '/articles'],
    ['get', `/articles/${randomUUID()}`],
    ['patch', `/articles/${randomUUID()}`],
    ['delete', `/articles/${randomUUID()}`],
  ];

  describe.each(['If-Modified-Since', 'If-Unmodified-Since'])('%s', (name) => {
    it.each([
      'x',
      '-1',
      '+1',
      '1.5',
      '1e3',
      '0x10',
      '"5"',
      '5, 6',
      '12345678901234567',
      'Sat, 29 Oct 1994 19:43:31 GMT',
    ])('is refused with 400 / 107 that names it: %s', async (value) => {
      const device = client(app.url);
      for (const [verb, path] of verbs) {
        const test = device[verb](path).set(name, value);
        if (verb === 'post') test.send(anArticle());
        if (verb === 'patch') test.send({});
        const { body } = await test.expect(400);
        const message = `${name}: not a timestamp in milliseconds`;
        if (verb !== 'head') expect(body).toMatchObject({ code: 400, errno: 107, message });
      }
    });

    it.each(['', ' ', '0'])('may be %j', async (value) => {
      const { device, first } = await scene();
      const { status } = await device.get(`/articles/${first.id}`).set(name, value);
      expect(status).toBe(value === '0' && name === 'If-Unmodified-Since' ? 412 : 200);
    });

    it('may have blanks around and leading zeros', async () => {
      const { device, first } = await scene();
      const value = ` ${String(first.last_modified).padStart(16, '0')}  `;
      const { status } = await device.get(`/articles/${first.id}`).set(name, value);
      expect(status).toBe(name === 'If-Modified-Since' ? 304 : 200);
    });
  });

  it('and the write it guards are one step: one of many writers wins', async () => {
    const { device, first } = await scene();
    const condition = String(first.last_modified);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        device
          .patch(`/articles/${first.id}`)
          .set('If-Unmodified-Since', condition)
          .send({ title: `T${at}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await device.get(`/articles/${first.id}`)).body).toEqual(winner.body);
    for (const { status, headers } of answers)
      if (status === 412) expect(headers['last-modified']).toBe(String(winner.body.last_modified));
  });

  it('and the creation it guards are one step: one of many creators wins', async () => {
    const { device, last } = await scene();
    const condition = String(last.last_modified);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        device.post('/articles').set('If-Unmodified-Since', condition).send(anArticle()),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(412)]);
    expect((await device.head('/articles')).headers['total-records']).toBe('3');
  });

  it('and the deletion it guards are one step: nothing that came later is deleted', async () => {
    for (let round = 0; round < 12; round++) {
      const { device, last } = await scene();
      const [deletion, ...creations] = await Promise.all([
        device.delete('/articles').set('If-Unmodified-Since', String(last.last_modified)),
        ...Array.from({ length: 3 }, () => device.post('/articles').send(anArticle()).expect(201)),
      ]);
      for (const { body } of creations) await device.get(`/articles/${body.id}`).expect(200);
      expect((await device.head('/articles')).headers['total-records']).toBe(deletion.status === 200 ? '3' : '5');
    }
  });
});

it('each of many users who poll at the same moment hears of their own collection', async () => {
  const devices = Array.from({ length: 12 }, () => client(app.url));
  const scenes = await Promise.all(devices.map((device) => scene(device)));
  const polls = scenes.flatMap(({ device, last }) => {
    const poll = (since: number) => device.get('/articles?_since=5').set('If-Modified-Since', String(since));
    return [poll(last.last_modified), poll(last.last_modified - 1)];
  });
  const stranger = client(app.url).get('/articles').set('If-Modified-Since', '1');
  const [first, ...responses] = await Promise.all([stranger, ...polls]);
  expect([first.status, first.body.items]).toEqual([200, []]);
  for (const [at, { last }] of scenes.entries()) {
    const [unchanged, changed] = [responses[2 * at]!, responses[2 * at + 1]!];
    expect([unchanged.status, changed.status]).toEqual([304, 200]);
    for (const { headers } of [unchanged, changed]) expect(headers['last-modified']).toBe(String(last.last_modified));
    expect(changed.body.items).toContainEqual(last);
  }
});
