import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/devices.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startHaproxy } from '../support/servers/haproxy.js';
import { startService, type Service } from '../support/service.js';
import { text } from './deployed-files.js';

describe('deploy/haproxy.cfg', () => {
  let services: Service[];
  beforeAll(async () => {
    services = [
      await startService({ DATABASE_URL: 'sqlite::memory:' }),
      await startService({ DATABASE_URL: 'sqlite::memory:' }),
    ];
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
  });

  it('is accepted by HAProxy, gives every request an id, and goes on without an instance that left', async () => {
    const [port, other] = [await findFreePort(), await findFreePort()];
    const [one, two] = services.map(({ url }) => new URL(url).host);
    const config = text('haproxy.cfg')
      .replace(/^global\n.*?\n\n/ms, '')
      .replace('log global', '')
      .replace('bind :8000', `bind 127.0.0.1:${port}`)
      .replace('"${HOSTNAME}:9000"', `127.0.0.1:${other}`)
      .replace('127.0.0.1:8001', one!)
      .replace('127.0.0.1:8002', two!);
    const haproxy = await startHaproxy(config);
    for (let turn = 0; turn < 4; turn++) {
      const { status, headers } = await send(haproxy.url, 'me', 'GET', '/articles');
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
    const leaving = services[0]!.stop();
    for (let turn = 0; turn < 30; turn++) expect((await send(haproxy.url, 'me', 'GET', '/articles')).status).toBe(200);
    expect(await leaving).toBe(0);
    for (let turn = 0; turn < 10; turn++) expect((await send(haproxy.url, 'me', 'GET', '/articles')).status).toBe(200);
    await haproxy.remove();
  });

  it('waits for instances longer than the service takes, and closes idle connections before it does', () => {
    expect(text('haproxy.cfg')).toMatch(/timeout server 65s/);
    expect(text('haproxy.cfg')).toMatch(/timeout http-keep-alive 60s/);
  });
});
