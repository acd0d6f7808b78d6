import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../src/operations/metrics.js';
import { ERRORS } from '../../src/protocol/api-error.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import { startService, type Service } from '../support/service.js';
import { startServiceWith } from '../support/service-with-provider.js';
import { openSocket } from '../api/raw-http.js';
import { METERED, samplesOf, scrape } from './scrape.js';

const DURATION = 'reading_list_request_duration_seconds_count';

let provider: ScriptedProvider;
let service: Service;
let close: () => Promise<void>;
let token: string;

beforeAll(async () => {
  const settings = { ...METERED, RATE_LIMIT_PER_MINUTE: '1000' };
  ({ provider, service, close } = await startServiceWith(ScriptedProvider.start(), settings));
  token = await provider.sign();
});

afterAll(() => close());

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(service.url, { method, path, headers: { authorization: `Bearer ${token}`, ...headers } });
    sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode!)));
    sent.on('error', reject).end(body);
  });

describe('/metrics', () => {
  it('counts requests by route, method, class of status and source', async () => {
    await ask('GET', '/v2/articles');
    await ask('GET', `/v2/articles/${randomUUID()}`);
    const body = JSON.stringify({ requests: [{ method: 'GET', path: '/articles' }] });
    await ask('POST', '/v2/batch', { 'content-length': String(body.length) }, body);
    const samples = await scrape(service);
    const of = (labels: string) => samples.get(`${DURATION}{${labels}}`);
    expect(of('route="/v2/articles",method="GET",status="2xx",source="client"')).toBe(1);
    expect(of('route="/v2/articles",method="GET",status="2xx",source="batch"')).toBe(1);
    expect(of('route="/v2/articles/:id",method="GET",status="4xx",source="client"')).toBe(1);
    expect(of('route="/v2/batch",method="POST",status="2xx",source="client"')).toBe(1);
    expect(samples.get('reading_list_errors_total{errno="111"}')).toBe(1);
  });

  it('has no metric that docs/operations.md does not name', async () => {
    const table = readFileSync('docs/operations.md', 'utf8').split('\n## Metrics and alerts\n')[1]!.split('\n### ')[0]!;
    const named = [...table.matchAll(/^\| (`.*?)\|/gm)].flatMap(([, cell]) => {
      const [first = '', ...others] = [...cell!.matchAll(/`(?:reading_list_|…_)(\w+)`/g)].map(([, name]) => name!);
      // `…_waiting` goes on from what both names begin with.
      return [
        first,
        ...others.flatMap((end) => first.split('_').map((_, at, words) => [...words.slice(0, at), end].join('_'))),
      ];
    });
    const kinds = [...(await scrape(service)).keys()].flatMap((name) => /^reading_list_(\w+)/.exec(name)?.[1] ?? []);
    const missing = kinds.filter((name) => !named.includes(name.replace(/_(bucket|sum|count)$/, '')));
    expect(kinds.length).toBeGreaterThan(20);
    expect(new Set(missing)).toEqual(new Set());
  });

  it('is there before the database was ever reached', async () => {
    const lonely = await startService({ ...METERED, DATABASE_URL: 'mysql://root@127.0.0.1:1/none' });
    try {
      const samples = await scrape(lonely);
      expect(samples.get('reading_list_database_clock_offset_seconds')).toBeNaN();
      expect(samples.get('reading_list_database_connections_used')).toBe(0);
    } finally {
      await lonely.stop();
    }
  });

  it('keeps its labels within fixed sets whatever paths, methods and headers clients send', async () => {
    const statuses = new Set<number>();
    for (let turn = 0; turn < 120; turn++) {
      const method = ['GET', 'PURGE', 'PROPFIND', 'TRACE', 'M-SEARCH', 'PUT', 'OPTIONS', 'DELETE'][turn % 8]!;
      const path = [`/${randomUUID()}`, `/v2/articles/${randomUUID()}`, `/v2/${randomUUID()}`, `/docs/${randomUUID()}`];
      statuses.add(await ask(method, `${path[turn % 4]}?${randomUUID()}=1`, { 'x-request-id': randomUUID() }));
    }
    expect(statuses.size).toBeGreaterThan(2);
    const samples = await scrape(service);
    const labels = [...samples.keys()].flatMap((name) => [...name.matchAll(/(\w+)="([^"]*)"/g)]);
    const values = (label: string) => new Set(labels.filter(([, name]) => name === label).map(([, , value]) => value!));
    for (const route of values('route')) expect(route).toMatch(/^(unmatched|\/[\w/:.*{}-]*)$/);
    for (const route of values('route')) expect(route).not.toMatch(/[0-9a-f]{8}-/);
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
    for (const method of values('method')) expect(methods).toContain(method);
    for (const status of values('status')) expect(['2xx', '3xx', '4xx', '5xx', 'aborted']).toContain(status);
    const numbers = Object.values(ERRORS).map(({ errno }) => String(errno));
    for (const errno of values('errno')) expect(numbers).toContain(errno);
    expect(samplesOf(samples, DURATION).labels.length).toBeLessThan(60);
  });

  it('tells tokens known from memory from those that had to be checked, and the calls that took', async () => {
    const before = await scrape(service);
    await ask('GET', '/v2/articles');
    token = await provider.sign({ sub: 'somebody new' });
    await ask('GET', '/v2/articles');
    const after = await scrape(service);
    const grown = (name: string) => after.get(name)! - before.get(name)!;
    expect(grown('reading_list_token_cache_hits_total')).toBe(1);
    expect(grown('reading_list_token_cache_misses_total')).toBe(1);
    expect(after.get('reading_list_provider_call_duration_seconds_count{outcome="answered"}')).toBe(2);
  });

  it('shows calls that the identity provider does not answer', async () => {
    provider.answers.set('/introspect', 'cut');
    expect(await ask('GET', '/v2/articles', { authorization: 'Bearer opaque' })).toBe(503);
    const samples = await scrape(service);
    expect(samples.get('reading_list_provider_call_duration_seconds_count{outcome="failed"}')).toBeGreaterThan(0);
    expect(samples.get('reading_list_errors_total{errno="201"}')).toBe(1);
  });

  it('has the state of the load, the database and the event loop', async () => {
    const samples = await scrape(service);
    expect(samples.get('reading_list_load_state')).toBe(0);
    expect(samples.get('reading_list_requests_in_flight')).toBe(0);
    expect(samples.get('reading_list_requests_refused_total')).toBe(0);
    expect(samples.get('reading_list_database_connections_used')).toBe(0);
    expect(samples.get('reading_list_database_connections_waiting')).toBe(0);
    expect(samples.get('reading_list_database_retries_total')).toBe(0);
    expect(samples.get('reading_list_event_loop_delay_seconds')).toBeLessThan(5);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('counts nobody as in flight whose connection went away before he was heard, or before he was answered', async () => {
    const asked = `GET /v2/articles HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const send = async (bytes: string) => {
      const socket = await openSocket(service.url);
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.write(bytes, resolve));
      return socket;
    };
    for (let client = 0; client < 20; client++) {
      (await send(asked)).resetAndDestroy();
      await once((await send(`${asked}not HTTP\r\n\r\n`)).resume(), 'close');
    }
    const inFlight = async () => (await scrape(service)).get('reading_list_requests_in_flight');
    await expect.poll(inFlight).toBe(0);
  });

  it('counts refusals by the rate limit as errno 117', async () => {
    const limited = await startService({ ...METERED, DATABASE_URL: 'sqlite::memory:', RATE_LIMIT_PER_MINUTE: '2' });
    for (let turn = 0; turn < 5; turn++) await fetch(`${limited.url}/v2/`);
    const samples = await scrape(limited);
    await limited.kill();
    expect(samples.get('reading_list_errors_total{errno="117"}')).toBe(3);
  });

  it('is the only page of its port, and is not on the port of the service', async () => {
    const [, address] = /metrics at (\S+)/.exec(service.output())!;
    expect((await fetch(new URL('/', address))).status).toBe(404);
    expect((await fetch(address!, { method: 'POST' })).status).toBe(404);
    expect(await ask('GET', '/metrics')).toBe(307);
  });
});

it('responds to a scrape that fails with an empty 500, and logs why', async () => {
  const { server } = new Metrics();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  vi.spyOn(Registry.prototype, 'metrics').mockRejectedValueOnce(new Error('broken'));
  const log = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([500, '']);
  expect(log.mock.calls).toEqual([['a scrape failed', expect.stringContaining('Error: broken')]]);
  vi.restoreAllMocks();
  server.close();
});

it('opens no second port without METRICS_PORT', async () => {
  const plain = await startService({ DATABASE_URL: 'sqlite::memory:' });
  await plain.kill();
  expect(plain.output()).not.toContain('metrics');
});
