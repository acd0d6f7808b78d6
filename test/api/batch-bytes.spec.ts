import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith } from '../support/client.js';

const MAX_BYTES = 65_536;

let provider: DevelopmentProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  app = await startApp({ OAUTH_URI: provider.issuer, MAX_PAGE_BYTES: String(MAX_BYTES) });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

it.each([
  ['x', 16_000],
  ['ж', 32_000],
  ['\u0001', 96_000],
])('a batch runs no request once its answers are large: articles of 16,000 times %j', async (character, length) => {
  const device = clientWith(app.url, `Bearer ${await provider.issue(`user of ${length}`)}`);
  const { body: article } = await device
    .post('/articles')
    .send(anArticle({ excerpt: character.repeat(16_000) }))
    .expect(201);
  const path = `/articles/${article.id}`;
  const requests = Array.from({ length: 12 }, (_, at) => ({
    method: 'PATCH',
    path,
    body: { read_position: at + 1 },
  }));
  const { body, text } = await device.post('/batch').send({ requests }).expect(200);
  const answered = Math.ceil(MAX_BYTES / (length + 1_000));
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  expect(statuses).toEqual(requests.map((_, at) => (at < answered ? 200 : 503)));
  expect(text.length).toBeLessThan(MAX_BYTES + length + 12_000);
  const refused = (body.responses as { path: string; headers: Record<string, string> }[]).at(-1)!;
  expect(refused).toMatchObject({ path, body: { code: 503, errno: 201 } });
  expect(Number(refused.headers['Retry-After'])).toBeGreaterThan(0);
  expect(refused.headers).toMatchObject({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': expect.any(String) });
  expect((await device.get(path).expect(200)).body.read_position).toBe(answered);
});

it('only the answers to requests before it count, though those that are not about articles run first', async () => {
  const device = clientWith(app.url, `Bearer ${await provider.issue('user of an order')}`);
  const requests = [
    { method: 'POST', path: '/articles', body: anArticle() },
    { method: 'GET', path: '/openapi.json' },
    { method: 'GET', path: '/articles' },
    { method: 'GET', path: '/' },
  ];
  const { body } = await device.post('/batch').send({ requests }).expect(200);
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  expect(statuses).toEqual([201, 200, 503, 503]);
});
