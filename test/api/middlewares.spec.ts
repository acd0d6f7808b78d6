import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MiddlewareConsumer } from '@nestjs/common';
import { type App, createApp } from '../../src/app.factory.js';
import { AppModule } from '../../src/app.module.js';
import { readSettings } from '../../src/config/load-settings.js';
import { basicAuthorization, requireOwnService } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { exchange } from './raw-http.js';

const authorization = basicAuthorization('me');

let database: TestDatabase;
let app: App;
let url: string;
const seen: string[] = [];

type Middleware = (
  request: { method: string; originalUrl: string; headers: object },
  _: unknown,
  next: () => void,
) => void;

/** Notes every request, and fails for those that want it to. */
const noteAs =
  (name: string): Middleware =>
  (request, _response, next) => {
    seen.push(`${name} ${request.method} ${request.originalUrl}`);
    if ('x-broken' in request.headers) throw new Error('a defect of the middleware');
    next();
  };

/** The usual way of Nest: a module that configures its middleware. */
const configuring = {
  configure: (consumer: MiddlewareConsumer) => void consumer.apply(noteAs('module')).forRoutes('{*path}'),
};

beforeAll(async () => {
  requireOwnService('it adds a middleware');
  database = await createTestDatabase();
  const variables = { NODE_ENV: 'test', DATABASE_URL: database.url, MIGRATE_ON_START: 'true', LOG_LEVEL: 'silent' };
  Object.assign(AppModule.prototype, configuring);
  app = await createApp(readSettings(variables), {
    extend: (nest) => nest.use(noteAs('app')),
  });
  await once(app.server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  delete (AppModule.prototype as Partial<typeof configuring>).configure;
  if (!app) return;
  app.server.close();
  await app.nest.close();
  await database.drop();
});

it.each([
  ['GET', '/v2/articles', 200],
  ['HEAD', '/v2/articles?unread=true', 200],
  ['GET', '/v2/articles/6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11', 404],
  ['PATCH', '/v2/articles/nonsense', 404],
  ['PUT', '/v2/articles', 405],
  ['GET', '/v2/nowhere', 404],
  ['GET', '/articles', 307],
  ['GET', '/__lbheartbeat__', 200],
  ['GET', '/docs/', 200],
  ['OPTIONS', '/v2/articles', 204],
])('middlewares that are added to the application and by a module run for %s %s', async (method, path, status) => {
  seen.length = 0;
  expect((await exchange(url, method, path, { authorization })).status).toBe(status);
  expect(seen).toEqual([`app ${method} ${path}`, `module ${method} ${path}`]);
});

it('a middleware that is added to the application runs for malformed requests, too', async () => {
  seen.length = 0;
  expect((await exchange(url, 'GET', '/v2/articles', { authorization, host: 'a b' })).status).toBe(400);
  expect(seen).toEqual(['app GET /v2/articles']);
});

it('what a middleware throws is answered as any other defect, with all headers', async () => {
  const { status, headers, body } = await exchange(url, 'GET', '/v2/articles', { authorization, 'x-broken': '1' });
  expect([status, JSON.parse(body)]).toMatchObject([500, { code: 500, errno: 999 }]);
  expect(headers).toMatchObject({
    'retry-after': '30',
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
  });
});
