import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { client } from '../support/client.js';
import { exchange } from './raw-http.js';

const LIMIT = 5;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
});
afterAll(() => app.close());

describe('beyond the limit', () => {
  it('a user is answered 429 / 117 and told when to come back', async () => {
    const device = client(app.url);
    for (let at = 0; at < LIMIT; at++) await device.get('/articles').expect(200);
    const { body, headers } = await device.get('/articles').expect(429);
    expect(body).toMatchObject({ code: 429, errno: 117, error: 'Too Many Requests', message: 'Too many requests' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    await device.post('/articles').send({}).expect(429);
  });

  it('other users are served', async () => {
    const device = client(app.url);
    for (let at = 0; at <= LIMIT; at++) await device.get('/articles');
    await client(app.url).get('/articles').expect(200);
  });

  it('strangers are refused by their address, users of the same address are served', async () => {
    const statuses = [];
    for (let at = 0; at <= LIMIT; at++) statuses.push((await exchange(app.url, 'GET', '/v2/articles')).status);
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(401), 429]);
    await client(app.url).get('/articles').expect(200);
  });

  it('paths of a login that is not there are unknown paths like others', async () => {
    const secrets = { USER_ID_SECRET: 'u'.repeat(32), SESSION_SECRET: 's'.repeat(32) };
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://list.example.com', OAUTH_URI: '', ...secrets };
    const without = await startApp({ ...production, RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    onTestFinished(() => without.close());
    const statuses = [];
    for (let at = 0; at <= LIMIT; at++) {
      const { status } = await exchange(without.url, at % 2 ? 'OPTIONS' : 'GET', '/v2/acct-oauth/params');
      statuses.push(status);
    }
    expect(statuses).toEqual(Array<number>(LIMIT + 1).fill(404));
  });

  it('strangers are refused by their network, of whose addresses of IPv6 a host has all', async () => {
    const proxied = await startApp({ RATE_LIMIT_PER_MINUTE: String(LIMIT), TRUST_PROXY: 'loopback' });
    onTestFinished(() => proxied.close());
    const statusOf = async (address: string, headers: Record<string, string> = {}) =>
      (await exchange(proxied.url, 'GET', '/v2/articles', { 'X-Forwarded-For': address, ...headers })).status;
    const guess = { Authorization: `Bearer rl_${'a'.repeat(43)}` };
    const statuses = [];
    for (let at = 1; at <= LIMIT + 1; at++)
      statuses.push(await statusOf(`2001:db8:1:2::${at}`, at % 2 === 0 ? guess : {}));
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(401), 429]);
    expect(await statusOf('2001:db8:1:3::1')).toBe(401);
  });

  it.each(['/__heartbeat__', '/__lbheartbeat__'])('%s is served', async (path) => {
    for (let at = 0; at <= 2 * LIMIT; at++) expect((await exchange(app.url, 'GET', path)).status).toBe(200);
  });
});
