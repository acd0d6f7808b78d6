import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Downloader, type DownloaderOptions } from '../src/downloader.js';

/** What the server on loopback that attacks does with a request; the same on 127.0.0.1 and 127.0.0.2. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let requests: { host: string; path: string; headers: IncomingMessage['headers']; at: number }[] = [];
let port: number;

const servers = [1, 2].map(() =>
  createServer((request, response) => {
    const { headers, url: path = '' } = request;
    requests.push({ host: request.socket.localAddress!, path, headers, at: performance.now() });
    respond(request, response);
  }),
);
beforeAll(async () => {
  const [trusted, forbidden] = servers as [Server, Server];
  await once(trusted.listen(0, '127.0.0.1'), 'listening');
  ({ port } = trusted.address() as AddressInfo);
  await once(forbidden.listen(port, '127.0.0.2'), 'listening');
});
afterEach(() => (requests = []));
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Trusts 127.0.0.1, where the server is, and nothing else that is not public. */
const get = (path: string, options: DownloaderOptions = {}, host = '127.0.0.1') =>
  new Downloader({ trustedAddresses: ['127.0.0.1'], ...options }).get(`http://${host}:${port}${path}`);

const html = (response: ServerResponse, body: string | Buffer, headers = {}) =>
  response.writeHead(200, { 'Content-Type': 'text/html', ...headers }).end(body);
const redirect = (response: ServerResponse, location: string) => response.writeHead(302, { Location: location }).end();

describe('a page is not asked for', () => {
  it.each([
    'http://127.0.0.2:PORT/',
    'http://2130706434:PORT/',
    'http://0x7f.0.0.2:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.2]:PORT/',
    'http://[::127.0.0.2]:PORT/',
    'http://[::5efe:127.0.0.2]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://localhost:PORT/',
  ])('at %s', async (url) => {
    respond = (_, response) => html(response, '');
    await expect(new Downloader().get(url.replace('PORT', `${port}`))).rejects.toThrow('not public');
    expect(requests).toEqual([]);
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/html,x'])(
    'at %s',
    async (url) => {
      await expect(new Downloader().get(url)).rejects.toThrow('not a web page');
    },
  );

  it.each([22, 25, 6])('at port %s', async (forbidden) => {
    await expect(new Downloader().get(`http://93.184.215.14:${forbidden}/`)).rejects.toThrow(`port ${forbidden}`);
  });

  it('by way of a redirect', async () => {
    for (const target of [
      `http://127.0.0.2:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
    ]) {
      respond = (_, response) => redirect(response, target);
      await expect(get('/')).rejects.toThrow(/not (a web page|public)/);
    }
    expect(requests.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  });

  it('if one of the addresses of its host is not public', async () => {
    const resolve = () => Promise.resolve(['127.0.0.1', '10.0.0.1'].map((address) => ({ address, family: 4 })));
    await expect(get('/', { resolve }, 'both.example')).rejects.toThrow('not public');
    expect(requests).toEqual([]);
  });

  it('if its host has another address when it is resolved again', async () => {
    const given = ['127.0.0.1', '127.0.0.2'];
    const resolve = () => Promise.resolve([{ address: given.shift()!, family: 4 }]);
    respond = (_, response) => redirect(response, '/again');
    await expect(get('/', { resolve }, 'rebinding.example')).rejects.toThrow('not public');
    expect(requests).toMatchObject([{ host: '127.0.0.1', path: '/' }]);
    expect(given).toEqual([]);
  });
});

it('follows five redirects, one second after another at the same host, and forgets cookies', async () => {
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  respond = ({ url = '' }, response) => {
    const n = Number(url.slice(1));
    response.setHeader('Set-Cookie', 'id=1');
    // Each at another host, so that there is nothing to wait for.
    redirect(response, `http://host-${n + 1}.example:${port}/${n + 1}`);
  };
  await expect(get('/0', { resolve }, 'host-0.example')).rejects.toThrow('more than 5 redirects');
  expect(requests.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
  expect(requests.filter(({ headers }) => headers.cookie)).toEqual([]);
  expect(requests[0]!.headers['user-agent']).toMatch(/^reading-list-resolver\//);
  requests = [];
  respond = (request, response) => (request.url === '/' ? redirect(response, '/there') : html(response, 'x'));
  expect(await get('/')).toMatchObject({ url: `http://127.0.0.1:${port}/there` });
  expect(requests[1]!.at - requests[0]!.at).toBeGreaterThan(950);
});

it('sends no credentials of a URL', async () => {
  respond = (_, response) => html(response, 'x');
  await get('/', {}, 'me:secret@127.0.0.1');
  expect(requests[0]!.headers.authorization).toBeUndefined();
});

/** A gigabyte of zeros: members of gzip may follow each other. */
const BOMB = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(2 ** 24))));

describe('of a body', () => {
  const MAX = 5 * 2 ** 20;
  const endless = (response: ServerResponse) => {
    const chunk = Buffer.alloc(2 ** 16, 'x');
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200, { 'Content-Type': 'text/html' }).on('drain', more);
    more();
  };
  it.each<[string, (response: ServerResponse) => unknown, number]>([
    ['that does not end, 5 MB are taken', endless, MAX],
    ['in gzip', (response) => html(response, gzipSync('text'), { 'Content-Encoding': 'gzip' }), 4],
    ['in brotli', (response) => html(response, brotliCompressSync('text'), { 'Content-Encoding': 'br' }), 4],
    ['that gzip makes 1 GB of, 5 MB', (response) => html(response, BOMB, { 'Content-Encoding': 'gzip' }), MAX],
    ['in a picture, nothing', (response) => html(response, 'x', { 'Content-Type': 'image/png' }), 0],
  ])('%s', async (_, send, length) => {
    respond = (_request, response) => void send(response);
    const before = process.memoryUsage().rss;
    expect((await get('/')).bytes.length).toBe(length);
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it.each(['deflate', 'gzip, gzip', 'compress'])('nothing is taken in %s', async (encoding) => {
    respond = (_, response) => html(response, 'x', { 'Content-Encoding': encoding });
    await expect(get('/')).rejects.toThrow('its encoding was not requested');
  });
});
it.each<[string, (response: ServerResponse) => unknown]>([
  ['never responds', () => undefined],
  [
    'sends a byte at a time',
    (response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      const timer = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(timer));
    },
  ],
  [
    'does not say where its body ends, and does not end it',
    ({ socket }) => socket!.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nThe first half'),
  ],
])('gives up after the time limit when a server %s', async (_, send) => {
  respond = (_request, response) => void send(response);
  const begun = performance.now();
  await expect(get('/', { timeoutMs: 500 })).rejects.toThrow(/abort|time/i);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

it.each(['/', '/robots.txt'])('a change of protocol at %s is a failure', async (path) => {
  respond = ({ url, socket }, response) =>
    url === path
      ? socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      : response.writeHead(404).end();
  await expect(get('/', { obeysRobots: true, timeoutMs: 3_000 })).rejects.toThrow('status 101');
});

it.each([404, 500, 304])('a status %s is a failure', async (status) => {
  respond = (_, response) => response.writeHead(status).end();
  await expect(get('/')).rejects.toThrow(`status ${status}`);
});

describe('robots.txt', () => {
  const withRobots = (status: number, text: string) => {
    respond = (request, response) =>
      request.url === '/robots.txt'
        ? response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text)
        : html(response, 'x');
  };
  const disallowing = 'User-agent: *\nDisallow: /private';

  it.each([
    ['disallows it', 200, disallowing, '/private/a', false],
    ['allows it', 200, disallowing, '/public', true],
    ['is for another program', 200, 'User-agent: other\nDisallow: /', '/a', true],
    ['does not exist', 404, disallowing, '/private/a', true],
    ['cannot be read', 503, '', '/a', false],
  ])('is obeyed when asked to: it %s', async (_, status, text, path, isAllowed) => {
    withRobots(status, text);
    const done = get(path, { obeysRobots: true });
    if (isAllowed) expect((await done).bytes.length).toBe(1);
    else await expect(done).rejects.toThrow('robots.txt');
    expect(requests.map((request) => request.path)).toEqual(isAllowed ? ['/robots.txt', path] : ['/robots.txt']);
  });

  it('is of no concern otherwise', async () => {
    withRobots(200, disallowing);
    expect((await get('/private/a')).bytes.length).toBe(1);
  });
});
