import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith, requireOwnService } from '../support/client.js';
import { openSocket } from './raw-http.js';

const MAX_BYTES = 100_000;

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

it.each([30_000, 120_000, 250_000])(
  'a batch runs no request once its answers are large: articles of %i bytes',
  async (length) => {
    const device = clientWith(app.url, `Bearer ${await provider.issue(`user of ${length}`)}`);
    const { body: article } = await device
      .post('/articles')
      .send(anArticle({ excerpt: 'x'.repeat(length) }))
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
    expect((await device.get(path).expect(200)).body.read_position).toBe(answered);
  },
);

it('an entry for which the user has no memory left holds up no other', async () => {
  requireOwnService('a proxy would read the response');
  const roomy = await startApp({ OAUTH_URI: provider.issuer, MAX_PAGE_BYTES: String(8 * 1_048_576) });
  const authorization = `Bearer ${await provider.issue('reads nothing')}`;
  const device = clientWith(roomy.url, authorization);
  for (let at = 0; at < 5; at++)
    await device
      .post('/articles')
      .send(anArticle({ excerpt: 'x'.repeat(2_000_000) }))
      .expect(201);
  const stalled = (await openSocket(roomy.url)).pause();
  stalled.write(`GET /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  await expect.poll(() => stalled.bytesRead).toBeGreaterThan(0);
  const list = { method: 'GET', path: '/articles' };
  const create = { method: 'POST', path: '/articles', body: anArticle() };
  const { body } = await device.post('/batch').send({ requests: [list, create, list, create] });
  const statuses = (body.responses as { status: number }[]).map(({ status }) => status);
  stalled.destroy();
  await roomy.close();
  expect(statuses).toEqual([503, 201, 503, 200]);
});
