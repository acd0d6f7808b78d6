import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { HeldPolls } from '../../src/polling/held-polls.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { basicAuthorization } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { send } from '../support/devices.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import { timestampOf, until, type Wait, waitingPoll } from '../support/waiting.js';

const MAX_SECONDS = 30;
const APPLIED = 'preference-applied';
/** Far less than a poll waits for by itself, and more than a busy machine adds to a second. */
const SOON_SECONDS = 5;

let database: TestDatabase;
let app: TestApp;
let user: string;
let since: number;

const start = async (variables: Record<string, string> = {}, shared?: TestDatabase): Promise<TestApp> => {
  const other = await startApp(variables, shared);
  onTestFinished(() => other.close());
  return other;
};
const pollsOf = ({ nest }: TestApp): HeldPolls => nest.get(HeldPolls, { strict: false });
const holds = (count: number, of: TestApp = app) => until(() => pollsOf(of).size === count);
const poll = (wait?: Wait, from = since) => waitingPoll(app.url, user, from, wait);
const create = (of: TestApp = app, name = user) => send(of.url, name, 'POST', '/articles', anArticle());

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startApp({ WAIT_MAX_SECONDS: String(MAX_SECONDS), WAITING_PER_USER: '5' }, database);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});
beforeEach(async () => {
  user = randomUUID();
  since = await timestampOf(app.url, user);
});

describe('a poll that finds nothing new', () => {
  it.each(['GET', 'HEAD'] as const)('is held for the seconds it prefers, and then 304, by %s', async (method) => {
    const { status, seconds, headers } = await poll({ method, prefer: 'wait=1' });
    expect([status, headers.get(APPLIED), headers.get('last-modified')]).toEqual([304, 'wait=1', String(since)]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThan(SOON_SECONDS);
  });

  it('is held when it is the first request of its user, too', async () => {
    const held = waitingPoll(app.url, randomUUID(), 9_999_999_999_999, { prefer: 'wait=1' });
    await holds(1);
    const { status, headers } = await held;
    expect([status, headers.get(APPLIED)]).toEqual([304, 'wait=1']);
  });

  it.each([
    ['', ''],
    ['filters', 'unread=true&favorite=false'],
    ['an order and a limit', '_sort=-title&_limit=2'],
  ])('is held whatever it lists: %s', async (_, query) => {
    const held = poll({ query });
    await holds(1);
    const { body } = await create();
    const answer = await held;
    expect([answer.status, answer.headers.get(APPLIED)]).toEqual([200, 'wait=20']);
    expect(answer.body.items).toEqual([body]);
  });

  it.each([
    ['wait=9999', `wait=${MAX_SECONDS}`],
    ['wait=99999999999999999999', `wait=${MAX_SECONDS}`],
    [`respond-async, Wait = "${MAX_SECONDS - 1}"; x=y`, `wait=${MAX_SECONDS - 1}`],
  ])('is granted no more than the service allows: %s', async (prefer, granted) => {
    const held = poll({ prefer });
    await holds(1);
    await create();
    expect((await held).headers.get(APPLIED)).toBe(granted);
  });

  it.each(['respond-async', 'wait', 'wait=-1', 'wait=soon', 'wait 20', 'wait="20', 'wait=, wait=20'])(
    'is answered at once without a preference that counts: %s',
    async (prefer) => {
      const { status, headers } = await poll({ prefer });
      expect([status, headers.get(APPLIED)]).toEqual([304, null]);
    },
  );

  it('is answered at once when it prefers to wait for no time', async () => {
    const { status, headers } = await poll({ prefer: 'wait=0' });
    expect([status, headers.get(APPLIED)]).toEqual([304, 'wait=0']);
  });

  it('is answered at once where waiting is switched off', async () => {
    const off = await start({ WAIT_MAX_SECONDS: '0' });
    const { status, headers } = await waitingPoll(off.url, user, await timestampOf(off.url, user));
    expect([status, headers.get(APPLIED)]).toEqual([304, null]);
  });
});

describe('a poll is not held', () => {
  it.each(['GET', 'HEAD'] as const)(
    'when there is news: %s is 200, and says that it would have been',
    async (method) => {
      await create();
      const { status, headers } = await poll({ method });
      expect([status, headers.get(APPLIED)]).toEqual([200, 'wait=20']);
    },
  );

  it('without If-Modified-Since', async () => {
    for (const value of ['', ' ']) {
      const { status, headers } = await poll({ headers: { 'if-modified-since': value } });
      expect([status, headers.get(APPLIED)]).toEqual([200, null]);
    }
  });

  it.each([
    ['a wrong query', { query: '_limit=0' }, 400],
    ['a wrong header', { headers: { 'if-modified-since': 'yesterday' } }, 400],
    ['a precondition that fails', { headers: { 'if-unmodified-since': '5' } }, 412],
  ])('with %s', async (_, wait, status) => {
    const answer = await poll(wait);
    expect([answer.status, answer.headers.get(APPLIED)]).toEqual([status, null]);
  });

  it('on a record', async () => {
    const { body } = await create();
    const headers = { 'if-modified-since': String(body.last_modified), prefer: 'wait=20' };
    const answer = await send(app.url, user, 'GET', `/articles/${body.id}`, undefined, headers);
    expect([answer.status, answer.headers.get(APPLIED)]).toEqual([304, null]);
  });

  it('with so many headers that they would take much memory', async () => {
    const { status, headers } = await poll({ headers: { 'x-long': 'x'.repeat(20_000) } });
    expect([status, headers.get(APPLIED)]).toEqual([304, null]);
  });

  it.each(['ahead', 'of the batch'])('as an entry of a batch: %s', async (where) => {
    const provider: DevelopmentProvider = await startDevelopmentProvider({ port: 0 });
    onTestFinished(() => provider.close());
    const signedIn = await start({ OAUTH_URI: provider.issuer });
    const authorization = `Bearer ${await provider.issue(user)}`;
    const seen = (await send(signedIn.url, '', 'HEAD', '/articles', undefined, { authorization })).headers;
    const conditions = { 'If-Modified-Since': seen.get('last-modified')! };
    const wait = { Prefer: 'wait=20' };
    const entry = { method: 'GET', path: '/articles', headers: { ...conditions, ...(where === 'ahead' ? wait : {}) } };
    const { status, body } = await send(
      signedIn.url,
      '',
      'POST',
      '/batch',
      { requests: [entry] },
      { authorization, ...(where === 'ahead' ? {} : wait) },
    );
    const [slot] = (body as unknown as { responses: { status: number; headers: Record<string, string> }[] }).responses;
    expect([status, slot!.status]).toEqual([200, 304]);
    expect(Object.keys(slot!.headers).map((name) => name.toLowerCase())).not.toContain(APPLIED);
  });
});

describe('a poll that is held is answered as soon as the list changes', () => {
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ['a creation', () => create()],
    ['a modification', (id) => send(app.url, user, 'PATCH', `/articles/${id}`, { favorite: true })],
    ['a deletion', (id) => send(app.url, user, 'DELETE', `/articles/${id}`)],
    ['a deletion of all', () => send(app.url, user, 'DELETE', '/articles')],
  ];
  it.each(changes)('by %s', async (_, change) => {
    const { body } = await create();
    since = body.last_modified;
    const held = [poll(), poll({ method: 'HEAD' })];
    await holds(2);
    await change(body.id);
    const [got, counted] = await Promise.all(held);
    expect([got!.status, counted!.status]).toEqual([200, 200]);
    expect(got!.body.items).toHaveLength(1);
    expect(counted!.headers.get('total-records')).toBe('1');
    expect(got!.headers.get('last-modified')).toBe(String(got!.body.items[0]!.last_modified));
    await holds(0);
  });

  it.each(['GET', 'HEAD'] as const)(
    'also when its condition is in the future: %s is 304 with the new timestamp',
    async (method) => {
      const held = poll({ method }, since + 3_600_000);
      await holds(1);
      const { body } = await create();
      const { status, headers, seconds } = await held;
      expect([status, headers.get(APPLIED)]).toEqual([304, 'wait=20']);
      expect(headers.get('last-modified')).toBe(String(body.last_modified));
      expect(seconds).toBeLessThan(10);
    },
  );

  it('and not by what changes nothing, or another list', async () => {
    const { body } = await create();
    since = body.last_modified;
    const held = poll({ prefer: 'wait=2' });
    await holds(1);
    await send(app.url, user, 'PATCH', `/articles/${body.id}`, { title: body.title });
    await send(app.url, user, 'POST', '/articles', { ...anArticle(), url: body.url });
    await send(app.url, user, 'DELETE', '/articles?title=nothing');
    await send(app.url, user, 'POST', '/articles', {});
    await create(app, randomUUID());
    const { status, seconds } = await held;
    expect(status).toBe(304);
    expect(seconds).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['at once', 0],
    ['after some time', 2_500],
  ])('by another instance within a second and a bit, without any message, %s', async (_, pause) => {
    const other = await start({}, database);
    const held = [1, 2, 3].map(() => poll());
    await holds(3);
    await sleep(pause);
    const { body } = await create(other);
    const written = performance.now();
    for (const answer of await Promise.all(held)) expect(answer.body.items).toEqual([body]);
    expect(performance.now() - written).toBeLessThan(SOON_SECONDS * 1000);
  });

  it.each([
    ['at once', 0],
    ['after some time', 2_500],
  ])('to nothing, as when an account is erased: the device starts over, %s', async (_, pause) => {
    await create();
    const held = poll({}, await timestampOf(app.url, user));
    await holds(1);
    await sleep(pause);
    await app.database.onSession(async (session) => {
      await session.run('DELETE FROM articles', []);
      await session.run('DELETE FROM accounts', []);
    });
    const { status, headers } = await held;
    expect([status, headers.get('start-over')]).toEqual([200, 'true']);
  });

  it('so that a device that follows Last-Modified sees every change, however close together', async () => {
    // What is changed while a list is read may be in it, and in the next one again.
    const seen = new Set<unknown>();
    const created: unknown[] = [];
    const writer = (async () => {
      for (let turn = 0; turn < 40; turn++) {
        created.push((await create()).body.id);
        if (turn % 5 === 0) await sleep(30);
      }
    })();
    while (seen.size < 40) {
      const { status, body, headers } = await poll();
      expect(status).toBe(200);
      for (const { id } of body.items) seen.add(id);
      since = Number(headers.get('last-modified'));
    }
    await writer;
    expect([...seen].sort()).toEqual([...created].sort());
  });
});

describe('held requests are bounded', () => {
  it('for each user', async () => {
    const held = Array.from({ length: 5 }, () => poll());
    await holds(5);
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers } = await poll({ method });
      expect([status, headers.get(APPLIED)]).toEqual([304, null]);
    }
    const another = randomUUID();
    const theirs = waitingPoll(app.url, another, await timestampOf(app.url, another));
    await holds(6);
    await Promise.all([create(), create(app, another)]);
    for (const { status } of await Promise.all([...held, theirs])) expect(status).toBe(200);
  });

  it('for the instance', async () => {
    const small = await start({ WAITING_MAX: '2' });
    const pollOf = async (name: string) => waitingPoll(small.url, name, await timestampOf(small.url, name));
    const held = [pollOf('a'), pollOf('b')];
    await holds(2, small);
    const refused = await pollOf('c');
    expect([refused.status, refused.headers.get(APPLIED)]).toEqual([304, null]);
    expect(pollsOf(small).counts.refused).toBe(1);
    await Promise.all([create(small, 'a'), create(small, 'b')]);
    await Promise.all(held);
  });

  it.each(['a reset', 'a half-close', 'a close'])('and free their place when the client goes away: %s', async (how) => {
    const before = { ...pollsOf(app).counts };
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(new URL(app.url).port as unknown as number, '127.0.0.1').on('error', () => undefined);
      socket.write(
        `GET /v2/articles HTTP/1.1\r\nHost: x\r\nIf-Modified-Since: ${since}\r\nPrefer: wait=20\r\n` +
          `Authorization: ${basicAuthorization(user)}\r\n\r\n`,
      );
      return socket;
    });
    await holds(5);
    // A poll that still looks for changes when its client goes away is not counted as held.
    await until(() => app.status.monitor.inFlight === 0);
    for (const socket of sockets)
      if (how === 'a reset') socket.resetAndDestroy();
      else if (how === 'a half-close') socket.end();
      else socket.destroy();
    await holds(0);
    await until(() => pollsOf(app).counts.abandoned - before.abandoned === 5);
    await until(() => app.status.monitor.inFlight === 0);
  });
});

describe('the others are served', () => {
  it('while far more requests are held than the service would take at once', async () => {
    const big = await start({ WAITING_PER_USER: '1000' });
    const seen = await timestampOf(big.url, user);
    const held = Array.from({ length: 450 }, () => waitingPoll(big.url, user, seen));
    await holds(450, big);
    await until(() => big.status.monitor.inFlight === 0);
    expect(big.status.monitor.load).toBe('normal');
    const { status, body, headers } = await create(big);
    expect([status, headers.get('backoff')]).toEqual([201, null]);
    for (const answer of await Promise.all(held)) {
      expect(answer.status).toBe(200);
      expect(answer.body.items).toEqual([body]);
    }
    await until(() => big.status.monitor.inFlight === 0);
  });

  it('under load, when all that are held are answered within a second and no other is', async () => {
    const held = Array.from({ length: 5 }, () => poll());
    await holds(5);
    app.status.monitor.inFlight += 400;
    const before = performance.now();
    for (const { status, headers } of await Promise.all(held))
      expect([status, headers.get(APPLIED), headers.has('backoff')]).toEqual([304, 'wait=20', true]);
    expect(performance.now() - before).toBeLessThan(SOON_SECONDS * 1000);
    app.status.monitor.inFlight -= 400;
    await holds(0);
  });

  it('and a wait that was woken counts once for the rate limit', async () => {
    const limited = await start({ RATE_LIMIT_PER_MINUTE: '4' });
    const held = waitingPoll(limited.url, user, await timestampOf(limited.url, user));
    await holds(1, limited);
    await create(limited);
    expect((await held).status).toBe(200);
    expect((await create(limited)).status).toBe(201);
    expect((await create(limited)).status).toBe(429);
  });
});

it('an instance that shuts down answers what it holds, and holds nothing new', async () => {
  const leaving = await start();
  const seen = await timestampOf(leaving.url, user);
  const held = Array.from({ length: 5 }, () => waitingPoll(leaving.url, user, seen));
  await holds(5, leaving);
  leaving.status.draining = true;
  const before = performance.now();
  for (const { status, headers } of await Promise.all(held))
    expect([status, headers.get('connection'), headers.get('last-modified')]).toEqual([304, 'close', String(seen)]);
  expect(performance.now() - before).toBeLessThan(SOON_SECONDS * 1000);
  const next = await waitingPoll(leaving.url, user, seen);
  expect([next.status, next.headers.get(APPLIED)]).toEqual([304, null]);
});

it('a held request ends no later than its token', async () => {
  const provider = await ScriptedProvider.start();
  onTestFinished(() => provider.close());
  const signedIn = await start({ OAUTH_URI: provider.issuer });
  const exp = Math.floor(Date.now() / 1000) + 4;
  const authorization = `Bearer ${await provider.sign({ exp })}`;
  const { headers } = await send(signedIn.url, '', 'HEAD', '/articles', undefined, { authorization });
  const seen = Number(headers.get('last-modified'));
  const leftSeconds = exp - Date.now() / 1000;
  const answer = await waitingPoll(signedIn.url, '', seen, { headers: { authorization } });
  expect(answer.status).toBe(304);
  const granted = Number(answer.headers.get(APPLIED)?.replace('wait=', ''));
  expect(granted).toBeLessThanOrEqual(leftSeconds);
  expect(answer.seconds).toBeLessThan(granted + SOON_SECONDS);
});
