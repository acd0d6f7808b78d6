import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith } from '../support/client.js';

const MAX_BYTES = 3_145_728;

let provider: DevelopmentProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  app = await startApp({ OAUTH_URI: provider.issuer, MAX_PAGE_BYTES: '65536', BATCH_MAX_REQUESTS: '150' });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

it.each([
  ['漢', 48_000],
  ['ж', 32_000],
  ['\u0001', 96_000],
])('a batch runs no request once its answers are large: articles of 16,000 times %j', async (character, length) => {
  const device = clientWith(app.url, `Bearer ${await provider.issue(`user of ${length}`)}`);
  const { body: article } = await device
    .post('/articles')
    .send(anArticle({ excerpt: character.repeat(16_000) }))
    .expect(201);
  const path = `/articles/${article.id}`;
  // Reads lock nothing, so that a slow machine has as much time for them as it takes.
  const reads = Array.from({ length: Math.ceil(MAX_BYTES / length) + 1 }, () => ({ method: 'GET', path }));
  const requests = [...reads, { method: 'PATCH', path, body: { read_position: 1 } }];
  const { body, text } = await device.post('/batch').send({ requests }).expect(200);
  const answered = Math.ceil(MAX_BYTES / (length + 1_000));
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  expect(statuses).toEqual(requests.map((_, at) => (at < answered ? 200 : 503)));
  expect(text.length).toBeLessThan(MAX_BYTES + length + 120_000);
  const refused = (body.responses as { path: string; headers: Record<string, string> }[]).at(-1)!;
  expect(refused).toMatchObject({ path, body: { code: 503, errno: 201 } });
  expect(Number(refused.headers['Retry-After'])).toBeGreaterThan(0);
  expect(refused.headers).toMatchObject({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': expect.any(String) });
  expect((await device.get(path).expect(200)).body.read_position).toBe(0);
});

it('a batch of as many articles as fit into a body runs to its end, however small a page may be', async () => {
  const device = clientWith(app.url, `Bearer ${await provider.issue('user of large articles')}`);
  const requests = Array.from({ length: 25 }, () => ({
    method: 'POST',
    path: '/articles',
    body: anArticle({ excerpt: '\u{1f600}'.repeat(16_000) }),
  }));
  const { body } = await device.post('/batch').send({ requests }).expect(200);
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  expect(statuses).toEqual(requests.map(() => 201));
});

it('only the answers to requests before it count, though those that are not about articles run first', async () => {
  const device = clientWith(app.url, `Bearer ${await provider.issue('user of an order')}`);
  const requests = [
    { method: 'POST', path: '/articles', body: anArticle() },
    ...Array.from({ length: 60 }, () => ({ method: 'GET', path: '/openapi.json' })),
    { method: 'GET', path: '/articles' },
    { method: 'GET', path: '/' },
  ];
  const { body } = await device.post('/batch').send({ requests }).expect(200);
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  const run = statuses.findIndex((status) => status === 503);
  expect(statuses).toEqual([201, ...Array<number>(run - 1).fill(200), ...Array<number>(63 - run).fill(503)]);
  expect(run).toBeLessThan(61);
});
