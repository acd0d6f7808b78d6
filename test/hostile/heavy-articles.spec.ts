import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BACKENDS } from '../operations/backends.js';
import { mustRunHere } from '../operations/run-command.js';
import { METERED } from '../operations/scrape.js';
import { basicAuthorization } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { type Service, startService } from '../support/service.js';
import { ask, figures, idleFigures, openConnection } from './hostile-client.js';

const MEBIBYTE = 2 ** 20;
/** Twice what an export's heap could hold; all of them for one of a few dozen requests would fill that of the service. */
const ARTICLES = 60;
/** So many are made at a time. */
const MAKERS = 4;
/** Connections to the database. */
const POOL_SIZE = 10;
/** A body of 2 MiB is the largest that is taken. */
const EXCERPT = 'x'.repeat(2 * MEBIBYTE - 1_000);
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=384' };
/** A page ends after 1 MiB, but never before its first item; a batch before the request that follows. */
const MAX_ANSWER = 11 * MEBIBYTE;
/** Nobody else waits for longer than a second, but for what a busy machine adds. */
const SOMEBODY_ELSE_MS = 1_000;
const SOMETIMES_MS = 4_000;

/** What a client got: the status, and how long the whole response was. */
interface Got {
  status: number;
  bytes: number;
}

describe.each(Object.keys(BACKENDS))('on %s, in a heap of 384 MiB', (name) => {
  let database: TestDatabase;
  let service: Service;
  let token: string;
  let idle: Record<string, number>;
  const articles: { id: string; url: string }[] = [];

  beforeAll(async () => {
    database = await BACKENDS[name]!();
    const settings = { DATABASE_URL: database.url };
    await mustRunHere(['migrate'], settings);
    token = (await mustRunHere(['token', 'create', 'heavy', '--name', 'phone', '--quiet'], settings)).trim();
    service = await startService({ ...METERED, ...SMALL_HEAP, ...settings });
    idle = await idleFigures(service);
    for (let at = 0; at < ARTICLES; at += MAKERS)
      articles.push(...(await Promise.all(Array.from({ length: MAKERS }, (_, more) => create(at + more)))));
  }, 240_000);

  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  /** The figures of the service, of which the sockets are those that came; a pool keeps its connections. */
  async function beyondIdle(): Promise<Record<string, number>> {
    const now = await figures(service);
    return { ...now, sockets: Math.max(0, now.sockets! - idle.sockets! - (name === 'SQLite' ? 0 : POOL_SIZE)) };
  }

  const headers = () => ({ authorization: `Bearer ${token}` });
  const articleNamed = (name: number | string) => ({
    url: `https://example.com/${name}`,
    title: 'T',
    added_by: 'x',
    excerpt: EXCERPT,
  });

  async function create(at: number): Promise<{ id: string; url: string }> {
    const body = JSON.stringify(articleNamed(at));
    // A connection that is kept would be counted among those that are left.
    const closing = { ...headers(), connection: 'close' };
    const answer = await fetch(`${service.url}/v2/articles`, { method: 'POST', headers: closing, body });
    expect(answer.status).toBe(201);
    return (await answer.json()) as { id: string; url: string };
  }

  /** Sends a request on a connection of its own and reads the response without keeping it. */
  async function exchange(method: string, path: string, body?: unknown, reader = eager): Promise<Got> {
    const socket = await openConnection(service);
    const text = body === undefined ? '' : JSON.stringify(body);
    const got = reader(socket);
    socket.write(
      `${method} /v2${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Length: ${text.length}\r\n\r\n${text}`,
    );
    return got;
  }

  /** Does it so many times at once, while somebody else asks; nobody dies or waits. */
  async function attack(clients: number, request: (at: number) => Promise<Got>): Promise<Got[]> {
    let isOver = false;
    const all = Promise.all(Array.from({ length: clients }, (_, at) => request(at)));
    void all.finally(() => (isOver = true)).catch(() => undefined);
    const waits: number[] = [];
    do {
      const { status, ms } = await ask(service, '/v2/articles?_limit=5');
      expect(status).toBe(200);
      waits.push(ms);
      await sleep(20);
    } while (!isOver);
    const got = await all;
    expect(service.process.exitCode).toBeNull();
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(SOMEBODY_ELSE_MS);
    expect(Math.max(...waits)).toBeLessThan(SOMETIMES_MS);
    for (const { status, bytes } of got) {
      expect([200, 201, 503]).toContain(status);
      expect(bytes).toBeLessThan(MAX_ANSWER);
    }
    expect(got.some(({ status }) => status < 300)).toBe(true);
    await expect.poll(beyondIdle, { timeout: 20_000, interval: 50 }).toEqual({ ...idle, sockets: 0 });
    return got;
  }

  const articleAt = (at: number) => articles[at % ARTICLES]!;
  const everyArticle = {
    requests: Array.from({ length: 25 }, () => ({ method: 'GET', path: '/articles?_limit=100' })),
  };
  const everySingle = (at: number) => ({
    requests: Array.from({ length: 25 }, (_, entry) => ({
      method: 'GET',
      path: `/articles/${articleAt(at + entry).id}`,
    })),
  });

  it.each<[string, number, (at: number) => Promise<Got>]>([
    ['list', 25, () => exchange('GET', '/articles?_limit=100')],
    ['count', 25, () => exchange('HEAD', '/articles?_limit=100')],
    ['list in batches', 12, () => exchange('POST', '/batch', everyArticle)],
    ['read in batches', 12, (at) => exchange('POST', '/batch', everySingle(at))],
    ['read', 60, (at) => exchange('GET', `/articles/${articleAt(at).id}`)],
    ['modify', 40, (at) => exchange('PATCH', `/articles/${articleAt(at).id}`, { read_position: at })],
    [
      'rewrite',
      20,
      (at) => exchange('PATCH', `/articles/${articleAt(at).id}`, { excerpt: `${at}${EXCERPT.slice(9)}` }),
    ],
    ['create', 20, () => exchange('POST', '/articles', articleNamed(randomUUID()))],
    ['list, read slowly', 15, () => exchange('GET', '/articles?_limit=100', undefined, slow)],
  ])(
    '%s: %i connections of one user take the service from nobody',
    { timeout: 120_000 },
    async (_, clients, request) => {
      await attack(clients, request);
    },
  );

  describe('many users who take their time leave room for one more', () => {
    const basic = () => basicAuthorization(randomUUID());
    const post = (authorization: string) =>
      fetch(`${service.url}/v2/articles`, {
        method: 'POST',
        headers: { authorization, connection: 'close' },
        body: JSON.stringify(articleNamed(randomUUID())),
      }).then(({ status }) => status);

    it('with answers that they do not read', { timeout: 60_000 }, async () => {
      const settings = { DATABASE_URL: database.url };
      const makeReader = async () =>
        `Bearer ${(await mustRunHere(['token', 'create', randomUUID(), '--name', 'phone', '--quiet'], settings)).trim()}`;
      const readers = await Promise.all(Array.from({ length: 4 }, makeReader));
      const device = basic();
      for (const user of [...readers, device]) for (let at = 0; at < 2; at++) expect(await post(user)).toBe(201);
      const sockets = await Promise.all(readers.map(() => openConnection(service)));
      // More than the system takes off the service's hands.
      const body = JSON.stringify(everyArticle);
      for (const [at, socket] of sockets.entries())
        socket
          .pause()
          .write(
            `POST /v2/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${readers[at]!}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          );
      await sleep(3_000);
      const { status, ms } = await ask(service, '/v2/articles?_limit=100', device);
      for (const socket of sockets) socket.destroy();
      expect(status).toBe(200);
      expect(ms).toBeLessThan(SOMETIMES_MS);
      await expect.poll(beyondIdle, { timeout: 20_000, interval: 50 }).toEqual({ ...idle, sockets: 0 });
    });

    it('with bodies that they do not send', { timeout: 60_000 }, async () => {
      const sockets = await Promise.all(Array.from({ length: 24 }, () => openConnection(service)));
      for (const socket of sockets)
        socket.write(
          `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\nContent-Length: ${EXCERPT.length}\r\n\r\n{`,
        );
      await sleep(3_000);
      const start = performance.now();
      expect(await post(basic())).toBe(201);
      expect(performance.now() - start).toBeLessThan(SOMETIMES_MS);
      for (const socket of sockets) socket.destroy();
      await expect.poll(beyondIdle, { timeout: 20_000, interval: 50 }).toEqual({ ...idle, sockets: 0 });
    });
  });

  it('exports them in little memory', { timeout: 120_000 }, async () => {
    const [status, lines, bytes] = await exported(database.url);
    expect(status).toBe(0);
    expect(lines).toBeGreaterThan(ARTICLES);
    expect(bytes).toBeGreaterThan(ARTICLES * 16_000);
  });

  it('deletes them all', { timeout: 120_000 }, async () => {
    const got = await attack(4, () => exchange('DELETE', '/articles'));
    expect(got.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const { bytes } = await exchange('GET', '/articles');
    expect(bytes).toBeLessThan(2_000);
  });
});

/** The status of what comes, and its length, read as fast as it comes. */
const eager = (socket: Socket): Promise<Got> => count(socket, () => undefined);

/** The same by a client that takes a break after every chunk. */
const slow = (socket: Socket): Promise<Got> =>
  count(socket, () => {
    socket.pause();
    setTimeout(() => socket.resume(), 5);
  });

function count(socket: Socket, onChunk: () => void): Promise<Got> {
  return new Promise((resolve) => {
    const got = { status: 0, bytes: 0 };
    socket.on('data', (chunk: Buffer) => {
      if (got.bytes === 0) got.status = Number(chunk.toString('latin1', 9, 12));
      got.bytes += chunk.length;
      onChunk();
    });
    socket.once('end', () => socket.destroy());
    socket.once('close', () => resolve(got));
  });
}

/** Exports the user in a heap of 64 MiB: the status of the command, and how many lines and bytes it printed. */
async function exported(databaseUrl: string): Promise<[status: number | null, lines: number, bytes: number]> {
  const words = ['--max-old-space-size=64', resolve('dist/src/commands/cli.js'), 'user', 'export', '--local', 'heavy'];
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let [lines, bytes] = [0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return [status, lines, bytes];
}
