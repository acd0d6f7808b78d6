import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { createClient, openReadingList, ReadingListError } from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { ask, basic, deviceArticles, fields, fill, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld({ PAGE_SIZE: '5', TOMBSTONE_RETENTION_DAYS: '1' });

const inStep = async (list: Parameters<typeof deviceArticles>[0], user: string) =>
  expect(await deviceArticles(list)).toEqual(await serverArticles(world.service.url, user));

describe('something between the device and the service', () => {
  let portal: Server;
  let respond: RequestListener;
  let url: string;
  beforeAll(async () => {
    portal = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => portal.once('listening', resolve));
    url = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => portal.close(resolve)));

  const answer =
    (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
  const json = { 'Content-Type': 'application/json' };
  const error = (code: number, errno: number) => JSON.stringify({ code, errno, error: 'E', message: 'no' });

  it.each<[string, RequestListener, Partial<ReadingListError>, string]>([
    ['a sign-in page', answer(200, '<html>Welcome to our hotel'), { kind: 'protocol', status: 200 }, 'offline'],
    ['a sign-in page called JSON', answer(200, '<html>Welcome', json), { kind: 'protocol' }, 'offline'],
    ['JSON of somebody else', answer(200, '{"hello":1}', json), { kind: 'protocol' }, 'offline'],
    ['half of the JSON', answer(200, '{"items":[{"id":', json), { kind: 'protocol' }, 'offline'],
    ['nothing', answer(200, '', json), { kind: 'protocol' }, 'offline'],
    ['204', answer(204, '', json), { kind: 'protocol' }, 'offline'],
    ['a 404 page', answer(404, '<html>Not here'), { kind: 'protocol', status: 404 }, 'offline'],
    ['a 401 of a proxy', answer(401, '<html>Who are you'), { kind: 'protocol', status: 401 }, 'offline'],
    ['a 410 of a proxy', answer(410, '<html>Gone'), { kind: 'protocol', status: 410 }, 'offline'],
    ['a 412 of a proxy', answer(412, 'no'), { kind: 'protocol', status: 412 }, 'offline'],
    ['a 502 page', answer(502, '<html>Bad gateway'), { kind: 'busy', status: 502 }, 'idle'],
    [
      'a 503 of a load balancer',
      answer(503, 'no', { 'Retry-After': '7' }),
      { kind: 'busy', retryAfterSeconds: 7 },
      'idle',
    ],
    [
      '429',
      answer(429, error(429, 117), { ...json, 'Retry-After': '3' }),
      { kind: 'busy', status: 429, errno: 117, retryAfterSeconds: 3 },
      'idle',
    ],
    [
      '503',
      answer(503, error(503, 201), { ...json, 'Retry-After': '30' }),
      { kind: 'busy', errno: 201, retryAfterSeconds: 30 },
      'idle',
    ],
    ['500', answer(500, error(500, 999), json), { kind: 'busy', errno: 999 }, 'idle'],
    ['401', answer(401, error(401, 105), json), { kind: 'auth', status: 401, errno: 105 }, 'signed-out'],
    ['403', answer(403, error(403, 121), json), { kind: 'auth', status: 403, errno: 121 }, 'signed-out'],
    ['410', answer(410, error(410, 202), json), { kind: 'gone', status: 410, errno: 202 }, 'gone'],
    ['408', answer(408, error(408, 119), json), { kind: 'busy', status: 408 }, 'idle'],
    ['431', answer(431, error(431, 107), json), { kind: 'protocol', status: 431 }, 'offline'],
    ['404 of an unknown path', answer(404, error(404, 111), json), { kind: 'protocol', status: 404 }, 'offline'],
    ['a connection that is cut', (_request, response) => response.destroy(), { kind: 'network' }, 'offline'],
    [
      'a response that is cut',
      (_request, response) =>
        void response
          .writeHead(200, { ...json, 'Content-Length': '1000' })
          .write('{"items":[', () => response.destroy()),
      { kind: 'network' },
      'offline',
    ],
  ])('%s costs nothing', async (_, listener, expected, status) => {
    const user = basic();
    const storage = memoryStorage();
    const good = await openDevice(world.url, user, { storage });
    const kept = await good.list.add({ url: 'https://example.com/kept', title: 'Kept' });
    await good.list.sync();
    await good.list.close();

    respond = listener;
    const { list } = await openDevice(url, user, { storage });
    await list.rename(kept.key, 'Renamed');
    await list.add({ url: 'https://example.com/new', title: 'New' });
    const before = await list.list();
    const failure = await list.sync().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(failure).toBeInstanceOf(ReadingListError);
    expect(failure).toMatchObject(expected);
    expect(list.status).toBe(status);
    expect(await list.list()).toEqual(before);
    await list.close();

    const again = await openDevice(world.url, user, { storage });
    expect(await again.list.sync()).toMatchObject({ conflicts: [] });
    expect((await serverArticles(world.url, user)).map(({ title }) => title)).toEqual(['Renamed', 'New']);
    await inStep(again.list, user);
  });

  it.each<[string, RequestListener, Partial<ReadingListError>]>([
    ['a sign-in page', answer(200, '<html>Welcome'), { kind: 'protocol', status: 200 }],
    ['JSON of somebody else', answer(200, '{}', json), { kind: 'protocol' }],
    ['no number', answer(200, '', { ...json, 'Total-Records': 'many' }), { kind: 'protocol' }],
    ['a 401 of a proxy', answer(401, '<html>Who are you'), { kind: 'protocol', status: 401 }],
    ['401', answer(401, error(401, 105), json), { kind: 'auth', status: 401 }],
    ['403', answer(403, error(403, 121), json), { kind: 'auth', status: 403 }],
    ['410', answer(410, error(410, 202), json), { kind: 'gone', status: 410 }],
  ])('%s is not a count', async (_, listener, expected) => {
    respond = listener;
    await expect(createClient({ baseUrl: url, authorization: 'x' }).count()).rejects.toMatchObject(expected);
  });

  it('an expired token is replaced for a count as well', async () => {
    const user = await world.bearer();
    await fill(world, user, 3);
    const tokens = ['Bearer stale', user];
    const client = createClient({ baseUrl: world.url, authorization: () => tokens.shift() ?? user });
    expect(await client.count()).toBe(3);
    await expect(createClient({ baseUrl: world.url, authorization: 'Bearer x' }).count()).rejects.toMatchObject({
      kind: 'auth',
      status: 401,
    });
  });

  it('a date to wait for counts from the date of the response, whatever the clock of the device', async () => {
    const date = (ms: number) => new Date(ms).toUTCString();
    const served = Date.parse('2030-01-01T00:00:00Z');
    respond = answer(503, 'no', { Date: date(served), 'Retry-After': date(served + 90_000) });
    const client = createClient({ baseUrl: url, authorization: 'x' });
    await expect(client.page()).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 90 });
    respond = answer(503, 'no', { Date: date(served), 'Retry-After': date(served - 90_000) });
    await expect(client.page()).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 0 });
  });

  it('a response to a deletion that is not the tombstone leaves the article to be deleted', async () => {
    const user = basic();
    const storage = memoryStorage();
    const good = await openDevice(world.url, user, { storage });
    const { key } = await good.list.add({ url: 'https://example.com/gone', title: 'Gone' });
    await good.list.sync();
    await good.list.close();
    respond = answer(200, '{"login":"required"}', json);
    const { list } = await openDevice(url, user, { storage });
    await list.remove(key);
    await expect(list.sync()).rejects.toMatchObject({ kind: 'protocol' });
    await list.close();
    const again = await openDevice(world.url, user, { storage });
    await again.list.sync();
    expect(await serverArticles(world.url, user)).toEqual([]);
  });

  it('the end of the service stops automatic syncing, and keeps the list', async () => {
    let count = 0;
    respond = (request, response) => {
      count++;
      answer(410, error(410, 202), {
        ...json,
        Alert: '{"code":"hard-eol","message":"over","url":"https://example.com/"}',
      })(request, response);
    };
    const { list } = await openDevice(url, basic());
    const [statuses, alerts]: [string[], unknown[]] = [[], []];
    list.on('status', (status) => statuses.push(status));
    list.on('alert', (alert) => alerts.push(alert));
    await list.add({ url: 'https://example.com/' });
    list.start({ intervalSeconds: 0.05 });
    await expect.poll(() => list.status).toBe('gone');
    const soFar = count;
    await list.add({ url: 'https://example.com/2' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(count).toBe(soFar);
    expect(await list.count()).toBe(2);
    expect(statuses).toEqual(['syncing', 'gone']);
    expect(alerts).toEqual([{ code: 'hard-eol', message: 'over', url: 'https://example.com/' }]);
  });

  it('automatic syncing waits as long as it is told to', async () => {
    const times: number[] = [];
    respond = (request, response) => {
      if (!request.url!.startsWith('/v2/articles')) return answer(200, '{}', json)(request, response);
      times.push(Date.now());
      answer(503, error(503, 201), { ...json, 'Retry-After': '2' })(request, response);
    };
    const { list } = await openDevice(url, basic());
    list.start({ intervalSeconds: 0.01 });
    await expect.poll(() => times.length, { timeout: 10_000 }).toBe(2);
    expect(times[1]! - times[0]!).toBeGreaterThan(1_900);
  });
});

describe('authorization', () => {
  it('of a function is asked again once, and the request is sent again', async () => {
    const good = await world.bearer();
    const answers = ['Bearer stale', good];
    let asked = 0;
    const { list, sent } = await openDevice(world.url, () => Promise.resolve(answers[Math.min(asked++, 1)]!));
    const added = await list.add({ url: 'https://example.com/', title: 'T' });
    expect(await list.sync()).toMatchObject({ pushed: 1, requests: 3 });
    expect(sent[1]!.body).toBe(sent[0]!.body);
    expect((await list.get({ key: added.key }))!.pending).toBe(false);
  });

  it('that stays refused signs out and loses nothing; signing in again goes on', async () => {
    let authorization = 'Bearer nonsense';
    let asked = 0;
    const { list, sent } = await openDevice(world.url, () => (asked++, authorization));
    const added = await list.add({ url: 'https://example.com/', title: 'T' });
    await expect(list.sync()).rejects.toMatchObject({ kind: 'auth', status: 401, errno: 105 });
    expect([list.status, sent.length, asked]).toEqual(['signed-out', 2, 2]);
    expect(await list.get({ key: added.key })).toMatchObject({ pending: true });
    authorization = await world.bearer();
    await list.sync();
    expect(list.status).toBe('idle');
    expect(await list.get({ key: added.key })).toMatchObject({ pending: false });
  });

  it('that cannot be had just now signs nobody out', async () => {
    const { list } = await openDevice(world.url, () => Promise.reject(new Error('offline')));
    await expect(list.sync()).rejects.toMatchObject({ kind: 'network' });
    expect(list.status).toBe('offline');
  });

  it('that never comes is given up like a response', async () => {
    const { createClient } = await import('../../src/index.js');
    const client = createClient({ baseUrl: world.url, authorization: () => new Promise<string>(() => undefined) });
    await expect(client.page({}, { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'network', isUnserved: true });
  });
});

describe('an interruption', () => {
  it('in the middle of a first sync goes on where it was', async () => {
    const user = basic();
    await fill(world, user, 22);
    const storage = memoryStorage();
    const { list, sent } = await openDevice(world.url, user, { storage });
    let pages = 0;
    list.on('change', () => ++pages === 3 && world.proxy.cut());
    const cut = world.proxy.cutBeforeRequest('_token=');
    await expect(list.sync()).rejects.toMatchObject({ kind: 'network' });
    await cut;
    expect(await list.count()).toBe(5);
    sent.length = 0;
    await list.close();
    const again = await openDevice(world.url, user, { storage });
    await again.list.sync();
    expect(again.sent.length).toBe(4);
    await inStep(again.list, user);
  });

  it('of a walk whose token the service does not know any more begins a new one', async () => {
    const user = basic();
    await fill(world, user, 7);
    const storage = memoryStorage();
    await storage.update(
      [],
      () =>
        new Map([
          [
            'state',
            { walk: { cursor: 5, next: '_sort=last_modified&_limit=5&_token=bm9uc2Vuc2U', full: 1 }, walks: 1 },
          ],
        ]),
    );
    const { list } = await openDevice(world.url, user, { storage });
    await list.sync();
    await inStep(list, user);
  });
});

describe('start over', () => {
  /** The service's own purge, by a clock that is days ahead. */
  const purge = async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync(
      process.execPath,
      ['--import', './test/support/skewed-clock.mjs', 'dist/src/commands/cli.js', 'purge'],
      {
        env: {
          PATH: process.env.PATH,
          CLOCK_SKEW_MS: String(3 * 86_400_000),
          NODE_ENV: 'test',
          DATABASE_URL: world.database.url,
          TOMBSTONE_RETENTION_DAYS: '1',
          OAUTH_URI: world.provider.issuer,
        },
      },
    );
  };

  it('forgets what is gone, and keeps edits that wait', async () => {
    const user = basic();
    const ids = await fill(world, user, 12);
    const { list, sent } = await openDevice(world.url, user);
    await list.sync();
    for (const n of [0, 5, 11]) await ask(world.url, user, 'DELETE', `/articles/${ids[n]}`);
    await purge();
    const keyOf = async (n: number) => (await list.get({ id: ids[n]! }))!.key;
    await list.add({ url: 'https://example.com/draft', title: 'Draft' });
    await list.rename(await keyOf(3), 'Renamed');
    await list.remove(await keyOf(4));
    const { conflicts } = await list.sync();
    expect(sent.some(({ path }) => path.includes('_since'))).toBe(true);
    expect(conflicts).toEqual([]);
    await inStep(list, user);
    expect((await list.list()).map(({ title }) => title).sort()).toEqual(
      [
        'Article 1',
        'Article 10',
        'Article 2',
        'Article 6',
        'Article 7',
        'Article 8',
        'Article 9',
        'Draft',
        'Renamed',
      ].sort(),
    );
    sent.length = 0;
    await list.sync();
    expect(sent.length).toBe(1);
  });

  it('tells of edits to what is gone', async () => {
    const user = basic();
    const ids = await fill(world, user, 3);
    const { list } = await openDevice(world.url, user);
    await list.sync();
    await ask(world.url, user, 'DELETE', `/articles/${ids[1]}`);
    await purge();
    await list.rename((await list.get({ id: ids[1]! }))!.key, 'Mine');
    expect((await list.sync()).conflicts).toMatchObject([{ kind: 'deleted-remotely', lost: { title: 'Mine' } }]);
    await inStep(list, user);
  });

  it('happens by itself when the time of the service has gone back', async () => {
    const user = basic();
    await fill(world, user, 3);
    const storage = memoryStorage();
    const { list } = await openDevice(world.url, user, { storage });
    await list.sync();
    const state = (await storage.load(['state']))[0]![1] as { cursor: number };
    await storage.update([], () => new Map([['state', { ...state, cursor: state.cursor + 1e12 }]]));
    await list.close();
    const again = await openDevice(world.url, user, { storage });
    await fill(world, user, 4);
    await again.list.sync();
    await inStep(again.list, user);
  });
});

it('an edit of what was deleted is told, and the rest goes on', async () => {
  const user = basic();
  const { list } = await openDevice(world.url, user);
  await list.add({ url: 'https://example.com/a', title: 'A' });
  await list.add({ url: 'https://example.com/b', title: 'B' });
  await list.sync();
  const [a, b] = [
    (await list.get({ url: 'https://example.com/a' }))!,
    (await list.get({ url: 'https://example.com/b' }))!,
  ];
  await list.favorite(a.key);
  expect((await list.sync()).conflicts).toEqual([]);
  await ask(world.url, user, 'DELETE', `/articles/${b.id}`);
  await list.archive(b.key);
  expect((await list.sync()).conflicts).toMatchObject([{ kind: 'deleted-remotely', lost: { archived: true } }]);
  await inStep(list, user);
});

it('conflicts are told again when nobody can have heard them', async () => {
  const user = basic();
  const storage = memoryStorage();
  const { list } = await openDevice(world.url, user, { storage });
  const { key } = await list.add({ url: 'https://example.com/a', title: 'A' });
  await list.sync();
  await ask(world.url, user, 'DELETE', `/articles/${(await list.get({ key }))!.id}`);
  await list.rename(key, 'Mine');
  // The push finds out, the pull fails: what was found out is durable.
  const cut = world.proxy.cutBeforeRequest('GET /v2/articles');
  await expect(list.sync()).rejects.toMatchObject({ kind: 'network' });
  await cut;
  await list.close();
  const again = await openDevice(world.url, user, { storage });
  expect((await again.list.sync()).conflicts).toMatchObject([{ lost: { title: 'Mine' } }]);
  expect(again.told.length).toBe(1);
  expect((await again.list.sync()).conflicts).toEqual([]);
});

it('a service that is away is told from a wrong address', async () => {
  const { createClient } = await import('../../src/index.js');
  const messageFrom = (baseUrl: string) =>
    createClient({ baseUrl, authorization: basic() })
      .page()
      .catch(({ message }: Error) => message);
  expect(await messageFrom('http://127.0.0.1:2')).toMatch(
    /^GET http:\/\/127\.0\.0\.1:2\/\S+: fetch failed: ECONNREFUSED$/,
  );
  expect(await messageFrom('http://nowhere.invalid')).toMatch(/: fetch failed: E(NOTFOUND|AI_AGAIN)$/);
});

it('a service that hangs is given up after a while', async () => {
  const { createClient } = await import('../../src/index.js');
  const client = createClient({ baseUrl: world.url, authorization: basic() });
  world.proxy.hang();
  await expect(client.page({}, { timeoutMs: 200 })).rejects.toMatchObject({
    kind: 'network',
    message: expect.stringMatching(/: no response$/) as string,
  });
  world.proxy.cut();
  await world.proxy.restore();
});

it('automatic syncing sends edits, survives the network and brings what others do', async () => {
  const user = basic();
  const { list } = await openDevice(world.url, user);
  list.start({ intervalSeconds: 0.2 });
  await world.proxy.refuse();
  const { key } = await list.add({ url: 'https://example.com/auto', title: 'Auto' });
  await expect.poll(() => list.status, { timeout: 10_000 }).toBe('offline');
  await world.proxy.restore();
  await expect.poll(async () => (await list.get({ key }))!.pending, { timeout: 20_000 }).toBe(false);
  await ask(world.url, user, 'POST', '/articles', fields(1));
  await expect.poll(() => list.count(), { timeout: 20_000 }).toBe(2);
  list.stop();
});

it('automatic syncing hears at once what others do, by a poll that waits', async () => {
  const user = basic();
  const { list, sent } = await openDevice(world.url, user);
  list.start({ intervalSeconds: 3600 });
  await expect.poll(() => sent.some(({ headers }) => headers.has('Prefer')), { timeout: 10_000 }).toBe(true);
  await ask(world.url, user, 'POST', '/articles', fields(1));
  await expect.poll(() => list.count(), { timeout: 10_000 }).toBe(1);
  await list.add({ url: 'https://example.com/mine' });
  await expect.poll(async () => (await serverArticles(world.url, user)).length, { timeout: 10_000 }).toBe(2);
});

it('the service may restart at any time', async () => {
  const user = basic();
  const service = await startService({
    NODE_ENV: 'test',
    DATABASE_URL: 'sqlite::memory:',
    OAUTH_URI: world.provider.issuer,
  });
  const { list } = await openDevice(service.url, user);
  await list.add({ url: 'https://example.com/' });
  await service.kill();
  await expect(list.sync()).rejects.toMatchObject({ kind: 'network' });
  expect((await list.list())[0]).toMatchObject({ pending: true });
});

it('edits made after a lost response are sent, though the service had carried out the one before', async () => {
  const user = basic();
  let isLosing = false;
  const losing = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    if (isLosing) throw new TypeError('cut');
    return response;
  };
  const client = createClient({ baseUrl: world.url, authorization: user, fetch: losing });
  const list = await openReadingList({ client, storage: memoryStorage(), device: 'alone' });
  const { key } = await list.add({ url: 'https://example.com/alone', title: 'First' });
  await list.sync();
  await list.rename(key, 'Second');
  isLosing = true;
  await expect(list.sync()).rejects.toMatchObject({ kind: 'network' });
  isLosing = false;
  await list.rename(key, 'Third');
  await list.favorite(key);
  await list.markRead(key);
  expect((await list.sync()).conflicts).toEqual([]);
  expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'Third', favorite: true, unread: false }]);
  await list.close();
});

it('edits that the service refused to authorize are not in doubt: those of another device survive with them', async () => {
  const user = basic();
  let authorization = user;
  const client = createClient({ baseUrl: world.url, authorization: () => authorization });
  const list = await openReadingList({ client, storage: memoryStorage(), device: 'signed-out' });
  const other = await openDevice(world.url, user);
  const { key } = await list.add({ url: 'https://example.com/auth', title: 'First' });
  await list.sync();
  await other.list.sync();
  authorization = 'Bearer rl_no';
  await list.rename(key, 'Mine');
  await list.markRead(key);
  await expect(list.sync()).rejects.toMatchObject({ kind: 'auth' });
  await other.list.markRead((await other.list.list())[0]!.key);
  await other.list.sync();
  authorization = user;
  expect((await list.sync()).conflicts).toEqual([]);
  expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'Mine', unread: false }]);
  await list.close();
});
