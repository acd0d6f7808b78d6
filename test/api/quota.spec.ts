import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestAppWithProvider, startApp, startAppWithProvider } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, clientWith, type Client } from '../support/client.js';

const LIMIT = 3;
const REFUSAL = { code: 403, errno: 121, message: 'The limit of 3 articles is reached; delete some first' };

let app: TestAppWithProvider;
let device: Client;
let ids: string[];

beforeAll(async () => void (app = await startAppWithProvider({ MAX_ARTICLES_PER_USER: String(LIMIT) })));
afterAll(() => app.close());

const create = (fields: object = {}) => device.post('/articles').send(anArticle(fields));
const clock = async () => (await device.head('/articles').expect(200)).headers['last-modified'] as string;
const count = async () => Number((await device.head('/articles').expect(200)).headers['total-records']);

beforeEach(async () => {
  device = client(app.url);
  ids = [];
  for (let at = 0; at < LIMIT; at++) {
    const urls = { url: `https://example.com/${at}`, resolved_url: `https://example.com/resolved/${at}` };
    ids.push(((await create(urls).expect(201)).body as { id: string }).id);
  }
});

it('a POST that would exceed the limit is 403 / 121, names the limit and changes nothing', async () => {
  const before = await clock();
  for (let at = 0; at < 2; at++) {
    const { body, headers } = await create().expect(403);
    expect(body).toMatchObject({ ...REFUSAL, max_articles: LIMIT });
    expect(headers).not.toHaveProperty('www-authenticate');
  }
  expect([await clock(), await count()]).toEqual([before, LIMIT]);
});

it.each([
  ['url', { url: 'https://example.com/1' }],
  ['resolved_url', { resolved_url: 'https://example.com/resolved/1' }],
])('a POST of a known %s is 200 at the limit', async (_, fields) => {
  const before = await clock();
  const { body } = await create(fields).expect(200);
  expect((body as { id: string }).id).toBe(ids[1]);
  await create(fields).set('If-Unmodified-Since', before).expect(200);
  expect(await clock()).toBe(before);
});

it.each([
  ['new', {}],
  ['known', { url: 'https://example.com/1' }],
])('a POST of a %s URL is 412 at the limit when the collection has changed', async (_, fields) => {
  const before = await clock();
  await device.patch(`/articles/${ids[0]}`).send({ favorite: true }).expect(200);
  await create(fields).set('If-Unmodified-Since', before).expect(412);
});

it('an unconditional and a conditional POST are 403 alike', async () => {
  const { body } = await create()
    .set('If-Unmodified-Since', await clock())
    .expect(403);
  expect(body).toMatchObject(REFUSAL);
});

it('PATCH and DELETE go on, and a deletion makes room for one article, also for the deleted one', async () => {
  await device.patch(`/articles/${ids[0]}`).send({ unread: false }).expect(200);
  await device.patch(`/articles/${ids[0]}`).send({ unread: true }).expect(200);
  await device.delete(`/articles/${ids[1]}`).expect(200);
  await create({ url: 'https://example.com/1' }).expect(201);
  await create({ url: 'https://example.com/1' }).expect(200);
  await create().expect(403);
  await device.delete('/articles').expect(200);
  for (let at = 0; at < LIMIT; at++)
    await create()
      .set('If-Unmodified-Since', await clock())
      .expect(201);
  await create().expect(403);
  expect(await count()).toBe(LIMIT);
});

it('counts each user alone', async () => {
  device = client(app.url);
  await create().expect(201);
});

it('refuses one entry of a batch, and carries out the others', async () => {
  const token = await app.issue('somebody');
  const requests = Array.from({ length: LIMIT + 1 }, () => ({ method: 'POST', path: '/articles', body: anArticle() }));
  const batch = clientWith(app.url, `Bearer ${token}`).post('/batch');
  const { body } = await batch
    .send({ requests: [...requests, { method: 'POST', path: '/articles', body: requests[0]!.body }] })
    .expect(200);
  const { responses } = body as { responses: { status: number; body: object }[] };
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 403, 200]);
  expect(responses[3]!.body).toMatchObject({ ...REFUSAL, max_articles: LIMIT });
});

it('has no limit where that is 0', async () => {
  const unlimited = await startApp({ MAX_ARTICLES_PER_USER: '0' });
  device = client(unlimited.url);
  for (let at = 0; at <= LIMIT; at++) await create().expect(201);
  await unlimited.close();
});
