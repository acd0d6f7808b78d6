import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startAppWithProvider, type TestApp, type TestAppWithProvider } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, clientWith, type Client } from '../support/client.js';
import { exchange } from './raw-http.js';

/** What proxies between devices and the service are known to break; each failure names the likely culprit. */
let app: TestApp;
let device: Client;
let article: { id: string; last_modified: number };
beforeAll(async () => {
  app = await startApp();
  device = client(app.url);
  article = (
    await device
      .post('/articles')
      .send(anArticle({ title: 'MiXeD Case ÄÖ' }))
      .expect(201)
  ).body as typeof article;
});
afterAll(() => app?.close());

const read = (headers: Record<string, string> = {}) =>
  exchange(app.url, 'GET', `/v2/articles/${article.id}`, { Authorization: device.authorization, ...headers });

describe('nothing between device and service', () => {
  it('drops Last-Modified', async () => {
    const { headers } = await read();
    expect(headers['last-modified'], 'a proxy in between drops or rewrites the header Last-Modified').toBe(
      String(article.last_modified),
    );
  });

  it('changes the case of values', async () => {
    const { headers, body } = await read();
    const culprit = 'a proxy in between changes the case of values';
    expect(headers['content-type'], culprit).toBe('application/json; charset=utf-8');
    expect(headers['access-control-expose-headers'], culprit).toContain('Last-Modified');
    expect((JSON.parse(body) as { title: string }).title, culprit).toBe('MiXeD Case ÄÖ');
  });

  it('turns 304 into 200', async () => {
    const { status, body } = await read({ 'If-Modified-Since': String(article.last_modified) });
    const culprit = 'a proxy in between drops If-Modified-Since or turns 304 into 200';
    expect([status, body], culprit).toEqual([304, '']);
  });

  it('drops If-Unmodified-Since', async () => {
    const { status } = await device
      .patch(`/articles/${article.id}`)
      .set('If-Unmodified-Since', String(article.last_modified - 1))
      .send({ favorite: true });
    expect(status, 'a proxy in between drops the header If-Unmodified-Since').toBe(412);
  });

  it('caches answers', async () => {
    const title = async () => (JSON.parse((await read()).body) as { title: string }).title;
    const first = randomUUID();
    const second = randomUUID();
    await device.patch(`/articles/${article.id}`).send({ title: first }).expect(200);
    expect(await title(), 'a cache in between answers with an older state').toBe(first);
    await device.patch(`/articles/${article.id}`).send({ title: second }).expect(200);
    expect(await title(), 'a cache in between answers with an older state').toBe(second);
  });

  it.each([65_536, 150_000])('cuts a body of %i characters', async (length) => {
    // Excerpt and title of an article take 68,096 bytes at most; further fields are ignored.
    const article = {
      ...anArticle({ excerpt: '😀'.repeat(16_000), title: '😀'.repeat(1_024) }),
      _padding: 'x'.repeat(length),
    };
    const sent = JSON.stringify(article);
    const headers = { Authorization: device.authorization, 'Content-Length': String(Buffer.byteLength(sent)) };
    const answer = await exchange(app.url, 'POST', '/v2/articles', headers, sent);
    expect(answer.status, 'a proxy in between limits the size of requests').toBe(201);
    expect(Buffer.byteLength(answer.body), 'a proxy in between cuts bodies').toBeGreaterThan(68_000);
    expect(() => JSON.parse(answer.body) as unknown, 'a proxy in between cuts bodies').not.toThrow();
  });

  it('reorders headers', async () => {
    const names = Object.keys((await read()).headers);
    expect(
      names.filter((name) => OWN_ORDER.includes(name)),
      'a proxy in between takes headers apart and puts them together in another order',
    ).toEqual(OWN_ORDER);
  });

  it('refuses PATCH or DELETE', async () => {
    const { id } = (await device.post('/articles').send(anArticle()).expect(201)).body as { id: string };
    const culprit = 'a proxy in between lets only some methods through';
    expect((await device.patch(`/articles/${id}`).send({ archived: true })).status, culprit).toBe(200);
    expect((await device.delete(`/articles/${id}`)).status, culprit).toBe(200);
  });
});

/** As the service sends them. */
const OWN_ORDER = ['content-type', 'content-length'];

describe('nothing between device and service takes the credentials', () => {
  let signedIn: TestAppWithProvider;
  beforeAll(async () => {
    signedIn = await startAppWithProvider();
  });
  afterAll(() => signedIn?.close());

  it('of a batch', async () => {
    const batch = clientWith(signedIn.url, `Bearer ${await signedIn.issue(randomUUID())}`);
    const { status } = await batch.post('/batch').send({ requests: [{ method: 'GET', path: '/articles' }] });
    expect(status, 'a proxy in between strips Authorization from POST /v2/batch').toBe(200);
  });
});
