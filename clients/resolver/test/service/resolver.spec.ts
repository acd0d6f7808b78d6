import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  basic,
  openDevice,
  serverArticles,
  startWorld,
  useWorld,
} from '../../../typescript/test/support/world.js';
import { readApart } from '../../src/read-apart.js';
import { Resolver, type ResolverOptions } from '../../src/resolver.js';

const world = useWorld();

/** A web site on loopback: what it sends, by path, and what it was asked for. */
const site = new Map<string, (response: ServerResponse) => unknown>();
let asked: string[] = [];
let origin: string;
let server: Server;
let resolvers: Resolver[] = [];

beforeAll(async () => {
  server = createServer(({ url = '' }: IncomingMessage, response) => {
    asked.push(url);
    const send = site.get(url);
    if (send) send(response);
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await Promise.all(resolvers.map((resolver) => resolver.stop()));
  resolvers = [];
  asked = [];
});
afterAll(() => server.close());

function startResolver(
  authorization: string,
  url = world.service.url,
  options: Partial<ResolverOptions> = {},
): string[] {
  const logged: string[] = [];
  const resolver = new Resolver({
    url,
    authorizations: [() => Promise.resolve(authorization)],
    trustedAddresses: ['127.0.0.1'],
    log: (message) => logged.push(message),
    ...options,
  });
  resolvers.push(resolver);
  void resolver.run();
  return logged;
}

const sentence = 'The tide comes in twice a day and nobody has ever thanked it for that.';
const text = `${sentence} ${sentence} ${sentence}`;
const article = (head: string) =>
  `<!doctype html><head><meta charset="utf-8">${head}</head><article>${`<p>${text}</p>`.repeat(4)}</article>`;
const WORDS = 4 * 45;

function publish(path: string, body: string, contentType = 'text/html'): string {
  site.set(path, (response) => response.writeHead(200, { 'Content-Type': contentType }).end(body));
  return origin + path;
}

const saveBare = (user: string, url: string) =>
  ask(world.service.url, user, 'POST', '/articles', { url, title: url, added_by: 'phone' });
const only = async (user: string, url = world.service.url) => (await serverArticles(url, user))[0];

it('within 5 seconds of saving a bare URL on one device, the title is on the other', async () => {
  const user = basic();
  startResolver(user);
  const [phone, laptop] = [await openDevice(world.url, user), await openDevice(world.url, user)];
  for (const { list } of [phone, laptop]) list.start();
  const url = publish('/tides', article('<title>Tides</title>'));
  const { key } = await phone.list.add({ url });
  const saved = performance.now();
  await expect
    .poll(() => laptop.list.get({ url }), { timeout: 10_000, interval: 20 })
    .toMatchObject({ title: 'Tides' });
  expect(performance.now() - saved).toBeLessThan(5_000);
  expect(await laptop.list.get({ url })).toMatchObject({
    resolved_title: 'Tides',
    word_count: WORDS,
    is_article: true,
    added_by: 'laptop',
    unread: true,
  });
  await expect.poll(() => phone.list.get({ key })).toMatchObject({ title: 'Tides', word_count: WORDS });
});

it('what was saved before it started is found, a picture and a PDF too', async () => {
  const user = basic();
  await saveBare(user, publish('/duck.jpg', '', 'image/jpeg'));
  await saveBare(
    user,
    publish('/a.pdf', '%PDF-1.4\n1 0 obj\n<</Title (Silt)>>\nendobj\n<</Info 1 0 R>>', 'application/pdf'),
  );
  startResolver(user);
  const found = async () =>
    (await serverArticles(world.service.url, user)).map(({ title, is_article }) => [title, is_article]);
  await expect.poll(found, { timeout: 15_000 }).toEqual([
    ['Silt', false],
    ['duck.jpg', false],
  ]);
});

it('a page whose URL after redirects is longer than the service takes has the rest filled in', async () => {
  const user = basic();
  publish(`/consent?back=${'x'.repeat(2100)}`, article('<title>Tides</title>'));
  site.set('/moved', (response) => response.writeHead(302, { Location: `/consent?back=${'x'.repeat(2100)}` }).end());
  await saveBare(user, `${origin}/moved`);
  startResolver(user);
  await expect
    .poll(() => only(user), { timeout: 15_000 })
    .toMatchObject({ title: 'Tides', word_count: WORDS, resolved_url: `${origin}/moved` });
});

it('what a person sets while the page is read stays', async () => {
  const user = basic();
  const url = `${origin}/slow`;
  const { id } = await saveBare(user, url);
  let send = (): void => undefined;
  site.set('/slow', (response) => {
    send = () => void response.writeHead(200, { 'Content-Type': 'text/html' }).end(article('<title>Tides</title>'));
  });
  startResolver(user);
  await expect.poll(() => asked).toEqual(['/slow']);
  await ask(world.service.url, user, 'PATCH', `/articles/${String(id)}`, { title: 'Mine', favorite: true });
  send();
  await expect
    .poll(() => only(user), { timeout: 10_000 })
    .toMatchObject({ title: 'Mine', favorite: true, word_count: WORDS });
});

it('another article keeps the URL that the page says is its own, and the rest is filled in', async () => {
  const user = basic();
  const [one, two] = ['/one', '/two'].map((path) =>
    publish(path, article(`<title>${path}</title><link rel=canonical href=/same>`)),
  );
  await saveBare(user, one!);
  await saveBare(user, two!);
  startResolver(user);
  const found = async () => (await serverArticles(world.service.url, user)).map(({ title }) => title);
  await expect.poll(found, { timeout: 15_000 }).toEqual(['/one', '/two']);
  const urls = (await serverArticles(world.service.url, user)).map(({ resolved_url }) => resolved_url);
  expect(urls.filter((url) => url === `${origin}/same`).length).toBe(1);
});

it('a dead page is asked for once, and does not hold up others', async () => {
  const user = basic();
  const { id } = await saveBare(user, `${origin}/dead`);
  const logged = startResolver(user);
  await expect.poll(() => logged, { timeout: 10_000 }).toEqual(['127.0.0.1: status 404']);
  await ask(world.service.url, user, 'PATCH', `/articles/${String(id)}`, { favorite: true });
  await saveBare(user, publish('/alive', article('<title>Alive</title>')));
  const titles = async () => (await serverArticles(world.service.url, user)).map(({ title }) => title);
  await expect.poll(titles, { timeout: 10_000 }).toEqual(['Alive', `${origin}/dead`]);
  expect(asked).toEqual(['/dead', '/alive']);
});

it('it says what it cannot do, and for which of several lists', async () => {
  const authorizations = [basic(), 'Bearer rl_unknown'].map((authorization) => () => Promise.resolve(authorization));
  const logged = startResolver('', world.service.url, { authorizations });
  const refused = expect.stringMatching(/^list 2: The access token is refused/) as string;
  await expect.poll(() => logged, { timeout: 10_000 }).toEqual([refused]);
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const away = startResolver(basic(), `http://127.0.0.1:${port}`);
  const unreachable = 'the service cannot be reached (ECONNREFUSED); trying again';
  await expect.poll(() => away[0], { timeout: 10_000 }).toBe(unreachable);
});

it('the slow pages of one list do not hold up another', async () => {
  const [slow, quick] = [basic(), basic()];
  site.set('/never', () => undefined);
  const { port } = new URL(origin);
  // Found once it watches for new ones.
  await saveBare(slow, publish('/first', article('')));
  startResolver('', world.service.url, {
    authorizations: [slow, quick].map((authorization) => () => Promise.resolve(authorization)),
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    timeoutMs: 5_000,
  });
  await expect.poll(async () => (await only(slow))?.word_count, { timeout: 10_000 }).toBe(WORDS);
  for (let n = 0; n < 12; n++) await saveBare(slow, `http://slow-${n}.example:${port}/never`);
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1 + 4);
  await saveBare(quick, publish('/quick', article('<title>Quick</title>')));
  // When the first slow one is given up, not when all are.
  await expect.poll(async () => (await only(quick))?.title, { timeout: 15_000 }).toBe('Quick');
  expect(asked.length).toBeLessThan(12);
});

describe('a page ends only the process that reads it,', () => {
  it.each([
    ['when it takes too long', '<i>', { timeoutMs: 100 }, /aborted/],
    ['when it takes too much memory', '<i>', { maxMemoryMb: 32 }, /memory/],
    // V8 then ends the process, whatever the limits of a thread are.
    ['when a table does not fit into it', '<meta property="og:title" content="">', { maxMemoryMb: 64 }, /memory/],
  ])('%s', async (_, piece, limits, message) => {
    const download = { bytes: Buffer.from(piece.repeat(130_000)), contentType: 'text/html', url: `${origin}/bomb` };
    await expect(readApart(download, limits)).rejects.toThrow(message);
  });

  it('which is gone afterwards', async () => {
    const { stdout } = await promisify(execFile)('ps', ['--ppid', `${process.pid}`, '-o', 'args=']);
    expect(stdout).not.toContain('page-reader');
  });
});

it('nothing is sent during the time of Backoff', async () => {
  const loaded = await startWorld({ BACKOFF: 'always', BACKOFF_SECONDS: '2' });
  try {
    const user = basic();
    const url = publish('/later', article('<title>Later</title>'));
    await ask(loaded.service.url, user, 'POST', '/articles', { url, title: url, added_by: 'phone' });
    startResolver(user, loaded.service.url);
    await expect.poll(() => asked, { timeout: 10_000 }).toEqual(['/later']);
    await sleep(1_000);
    expect(await only(user, loaded.service.url)).toMatchObject({ title: url });
    await expect.poll(() => only(user, loaded.service.url), { timeout: 10_000 }).toMatchObject({ title: 'Later' });
  } finally {
    await Promise.all(resolvers.map((resolver) => resolver.stop()));
    await loaded.close();
  }
});

it('polls are not repeated without pause where something on the way drops their condition', async () => {
  let polls = 0;
  const forward = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    polls++;
    const { authorization = '' } = headers;
    const answer = await fetch(world.service.url + url, { headers: { authorization } });
    const body = Buffer.from(await answer.arrayBuffer());
    for (const name of ['Last-Modified', 'Content-Type', 'Total-Records'])
      response.setHeader(name, answer.headers.get(name) ?? '');
    response.writeHead(answer.status).end(body);
  };
  const proxy = createServer((request, response) => void forward(request, response));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  try {
    startResolver(basic(), `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    await expect.poll(() => polls).toBeGreaterThan(1);
    await sleep(1_500);
    expect(polls).toBeLessThan(5);
  } finally {
    proxy.close();
    proxy.closeAllConnections();
  }
});

describe('the command', () => {
  const run = (...words: string[]) => {
    const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../dist/cli.js'), ...words]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    return { child, output: () => output };
  };
  const tokenFile = (content: string): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'resolver-')), 'tokens');
    writeFileSync(path, content);
    return path;
  };

  it('watches the lists of a file, asks nothing of loopback, and ends on SIGTERM', async () => {
    const user = basic('resolver-of-a-file');
    await saveBare(user, publish('/internal', article('<title>Internal</title>')));
    const words = [
      '--url',
      world.service.url,
      '--token-file',
      tokenFile('# home\nresolver-of-a-file:secret\n\nrl_wrong\n'),
    ];
    const { child, output } = run(...words);
    await expect.poll(output, { timeout: 15_000 }).toContain('127.0.0.1: the address is not public');
    expect(output()).toContain(`watching 2 lists of ${world.service.url}`);
    expect(output()).not.toMatch(/secret|rl_wrong/);
    expect(asked).toEqual([]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('says what is wrong with the file', async () => {
    const empty = tokenFile('\n');
    const missing = `${empty}.missing`;
    for (const [path, problem] of [
      [empty, 'contains no token'],
      [missing, 'cannot be read (ENOENT)'],
    ] as const) {
      const { child, output } = run('--url', world.service.url, '--token-file', path);
      expect(await once(child, 'exit')).toEqual([1, null]);
      expect(output()).toBe(`--token-file: ${path} ${problem}\n`);
    }
  });
});
