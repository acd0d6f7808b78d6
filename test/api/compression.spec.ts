import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import http from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client } from '../support/client.js';
import { exchange } from './raw-http.js';

interface Bytes {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  content: Buffer;
}

let app: TestApp;
let device: Client;
let id: string;

beforeAll(async () => {
  app = await startApp();
  device = client(app.url);
  for (let at = 0; at < 20; at++) await device.post('/articles').send(anArticle());
  id = (await device.post('/articles').send(anArticle({ excerpt: 'tea '.repeat(2_000) }))).body.id;
});

afterAll(() => app.close());

/** One request without any help of a client library, which would decompress. */
function ask(
  path: string,
  acceptEncoding?: string,
  { method = 'GET', headers = {}, url = app.url, body = undefined as string | undefined } = {},
): Promise<Bytes> {
  const { protocol, hostname, port } = new URL(url);
  const { request } = protocol === 'https:' ? https : http;
  const all = {
    authorization: device.authorization,
    ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: `/v2${path}`, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, content: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

const decoded = ({ headers, content }: Bytes): string => {
  const encoding = headers['content-encoding'];
  if (encoding === 'gzip') return gunzipSync(content).toString();
  return encoding === 'br' ? brotliDecompressSync(content).toString() : content.toString();
};

describe('a listing is sent', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['compress, x-gzip', undefined],
    ['gzip;q=0, br;q=0.0', undefined],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['nonsense;;;', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.2, br;q=0.8', 'br'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, *;q=0.5', 'br'],
    ['identity;q=0, gzip', 'gzip'],
    [' gzip ; q=1 , identity;q=0.5', 'gzip'],
  ])('to who accepts %j as %s', async (accepted, encoding) => {
    const plain = await ask('/articles', undefined);
    const answer = await ask('/articles', accepted);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['content-length']).toBe(String(answer.content.length));
    expect(answer.headers.vary).toBe('Accept-Encoding');
    expect(decoded(answer)).toBe(plain.content.toString());
    if (encoding) expect(answer.content.length).toBeLessThan(plain.content.length / 2);
    for (const name of ['last-modified', 'total-records', 'content-type', 'cache-control'])
      expect(answer.headers[name]).toBe(plain.headers[name]);
  });
});

describe('compressed is', () => {
  it('a record from about a kilobyte', async () => {
    const answer = await ask(`/articles/${id}`, 'gzip');
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(decoded(answer)).id).toBe(id);
  });

  it('the answer of a creation', async () => {
    const body = JSON.stringify(
      anArticle({ excerpt: 'milk '.repeat(1_000), url: `https://example.com/${randomUUID()}` }),
    );
    const answer = await ask('/articles', 'br', { method: 'POST', body });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([201, 'br']);
    expect(JSON.parse(decoded(answer)).excerpt).toHaveLength(5_000);
  });

  it('what a few dozen clients ask for at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => ask('/articles', at % 2 ? 'gzip' : 'br')));
    const plain = (await ask('/articles')).content.toString();
    for (const answer of answers) expect(decoded(answer)).toBe(plain);
    expect(app.status.monitor.inFlight).toBe(0);
  });
});

describe('not compressed is', () => {
  it('a small answer', async () => {
    const answer = await ask('/articles?title=none', 'gzip');
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  it('an error', async () => {
    const answer = await ask(`/articles?${'x'.repeat(3_000)}=1`, 'gzip');
    expect([answer.status, answer.headers['content-encoding']]).toEqual([400, undefined]);
  });

  it('a 304', async () => {
    const { headers } = await ask('/articles', 'gzip');
    const since = { 'if-modified-since': String(headers['last-modified']) };
    const answer = await ask('/articles', 'gzip', { headers: since });
    expect([answer.status, answer.headers['content-encoding'], answer.content.length]).toEqual([304, undefined, 0]);
  });

  it('anything where the setting says so', async () => {
    const plain = await startApp({ COMPRESSION_ENABLED: 'false' });
    const other = client(plain.url);
    await other.post('/articles').send(anArticle({ excerpt: 'x'.repeat(5_000) }));
    const { headers } = await exchange(plain.url, 'GET', '/v2/articles', {
      authorization: other.authorization,
      'accept-encoding': 'gzip',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('vary');
    await plain.close();
  });
});

it('HEAD of a record says how GET is encoded, and nothing that GET does not say', async () => {
  const [get, head] = [await ask(`/articles/${id}`, 'gzip'), await ask(`/articles/${id}`, 'gzip', { method: 'HEAD' })];
  expect(head.content.length).toBe(0);
  for (const [name, value] of Object.entries(head.headers))
    if (!['date', 'x-request-id'].includes(name)) expect([name, get.headers[name]]).toEqual([name, value]);
  expect(head.headers['content-encoding']).toBe('gzip');
});
