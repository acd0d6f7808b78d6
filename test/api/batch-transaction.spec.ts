import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CollectionClock } from '../../src/accounts/collection-clock.js';
import { SharedChanges } from '../../src/accounts/shared-changes.js';
import { ArticlesService } from '../../src/articles/articles.service.js';
import { insertArticle } from '../../src/articles/store/articles.store.js';
import type { Article } from '../../src/articles/article.js';
import { discarded, type Outcome } from '../../src/database/session.js';
import { startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith, type Client, requireOwnService } from '../support/client.js';

interface Entry {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

interface Slot {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Ahead of the provider's clock: a token that was issued later would not count yet. */
const NOW = Date.now() + 300_000;

let app: TestAppWithProvider;
beforeAll(async () => {
  app = await startAppWithProvider();
});
afterEach(() => {
  vi.restoreAllMocks();
  app.setClock(undefined);
});
afterAll(() => app?.close());

const signedIn = async (url = app.url): Promise<Client> => clientWith(url, `Bearer ${await app.issue(randomUUID())}`);

async function run(device: Client, requests: Entry[]): Promise<Slot[]> {
  const { body } = await device.post('/batch').send({ requests }).expect(200);
  return (body as { responses: Slot[] }).responses;
}

async function runAlone(device: Client, { method, path, body, headers = {} }: Entry): Promise<Slot> {
  const verb = method.toLowerCase() as 'get' | 'head' | 'post' | 'patch' | 'delete';
  const response = await device[verb](path).set(headers).send(body);
  return { status: response.status, body: response.body as Slot['body'], headers: response.headers };
}

const create = (fields: object = {}): Entry => ({ method: 'POST', path: '/articles', body: anArticle(fields) });
const unmodifiedSince = (time: number) => ({ 'If-Unmodified-Since': String(time) });
const modifiedSince = (time: number) => ({ 'If-Modified-Since': String(time) });
const statusesOf = (slots: Slot[]): number[] => slots.map(({ status }) => status);
const countOf = async (device: Client) => Number((await device.head('/articles').expect(200)).headers['total-records']);

describe('the requests of a batch get the responses, and have the effects, that they have one by one:', () => {
  const url = (name: string) => `http://case.example/${name}`;
  /** By the ids of two stored articles, which have been changed at NOW and NOW + 1. */
  const cases: [string, (a: string, b: string) => Entry[]][] = [
    [
      'creations, the same URL twice, and another with its resolved URL',
      () => [
        create({ url: url('1') }),
        create({ url: url('2') }),
        create({ url: url('1'), title: 'again' }),
        create({ url: url('3'), resolved_url: url('2') }),
        { method: 'GET', path: '/articles' },
      ],
    ],
    [
      'new articles, among them what another article and an earlier entry hold',
      () => [
        create({ url: url('1') }),
        create({ url: url('2') }),
        create({ url: url('a') }),
        create({ url: url('3') }),
        create({ url: url('2') }),
        create({ url: url('4') }),
      ],
    ],
    [
      'new articles that take more than one statement',
      () =>
        Array.from({ length: 12 }, (_, at) =>
          create({ url: url(`long/${at}`), excerpt: `${at} \u{1f4da}'`.repeat(2_500) }),
        ),
    ],
    [
      'new articles that take more than one statement, one of them twice',
      () =>
        Array.from({ length: 12 }, (_, at) =>
          create({ url: url(`long/${at === 3 ? 2 : at}`), excerpt: `${at} \u{1f4da}'`.repeat(2_500) }),
        ),
    ],
    [
      'creations, one of them on a condition that those before make false',
      () => [
        create({ url: url('1') }),
        create({ url: url('2') }),
        { ...create({ url: url('3') }), headers: unmodifiedSince(NOW + 1) },
        create({ url: url('4') }),
      ],
    ],
    [
      'changes of one article, on conditions that the ones before make true or false',
      (a) => [
        { method: 'PATCH', path: a, body: { title: '1' }, headers: unmodifiedSince(NOW) },
        { method: 'PATCH', path: a, body: { title: '2' }, headers: unmodifiedSince(NOW) },
        { method: 'PATCH', path: a, body: { title: '3' }, headers: unmodifiedSince(NOW + 2) },
        { method: 'GET', path: a, headers: modifiedSince(NOW + 2) },
        { method: 'GET', path: a, headers: modifiedSince(NOW + 3) },
        { method: 'GET', path: a, headers: unmodifiedSince(NOW + 2) },
        { method: 'DELETE', path: a, headers: unmodifiedSince(NOW + 2) },
        { method: 'DELETE', path: a, headers: unmodifiedSince(NOW + 3) },
      ],
    ],
    [
      'creations on conditions',
      () => [
        { ...create({ url: url('1') }), headers: unmodifiedSince(NOW) },
        { ...create({ url: url('1') }), headers: unmodifiedSince(NOW + 1) },
        { ...create({ url: url('2') }), headers: unmodifiedSince(NOW + 1) },
        { ...create({ url: url('1') }), headers: unmodifiedSince(NOW + 1) },
        { ...create({ url: url('2') }), headers: unmodifiedSince(NOW + 2) },
      ],
    ],
    [
      'changes that fail or change nothing, between others',
      (a, b) => [
        { method: 'PATCH', path: a, body: { resolved_url: url('b') } },
        { method: 'PATCH', path: a, body: {} },
        { method: 'GET', path: '/articles' },
        { method: 'PATCH', path: a },
        { method: 'PATCH', path: b, body: { title: 'new' } },
        { method: 'PATCH', path: a, body: { url: url('other') } },
        { method: 'PATCH', path: `/articles/${randomUUID()}`, body: {} },
        { method: 'PATCH', path: '/articles/nonsense', body: {} },
        { method: 'POST', path: '/articles', body: {} },
        { method: 'GET', path: '/articles', headers: modifiedSince(NOW + 2) },
        create({ url: url('1') }),
      ],
    ],
    [
      'requests that all fail, and a list',
      (a) => [
        { method: 'DELETE', path: `/articles/${randomUUID()}` },
        { method: 'PATCH', path: a, body: {} },
        { method: 'HEAD', path: '/articles' },
        { method: 'GET', path: '/articles', headers: modifiedSince(NOW + 1) },
      ],
    ],
    [
      'deletions, again, and creations of the same URL',
      (a, b) => [
        { method: 'DELETE', path: a },
        { method: 'DELETE', path: a },
        { method: 'GET', path: a },
        create({ url: url('a') }),
        { method: 'DELETE', path: b },
        { method: 'HEAD', path: '/articles' },
        { method: 'GET', path: '/articles?_since=0' },
        { method: 'GET', path: '/articles?_sort=url' },
      ],
    ],
    [
      'counts and changes, and polls before and after them',
      (a) => [
        { method: 'GET', path: '/articles', headers: modifiedSince(NOW + 1) },
        { method: 'HEAD', path: '/articles?unread=true' },
        create({ url: url('1') }),
        { method: 'GET', path: '/articles', headers: modifiedSince(NOW + 1) },
        { method: 'GET', path: `/articles?_since=${NOW + 1}`, headers: modifiedSince(NOW + 1) },
        { method: 'GET', path: `/articles?_since=${NOW + 2}`, headers: modifiedSince(NOW + 2) },
        { method: 'GET', path: '/articles', headers: unmodifiedSince(NOW + 1) },
        { method: 'GET', path: '/articles?_limit=1' },
        { method: 'PATCH', path: a, body: { unread: false } },
        { method: 'HEAD', path: '/articles?unread=true' },
        { method: 'HEAD', path: '/articles' },
      ],
    ],
    [
      'a deletion of the collection between others',
      (a) => [
        create({ url: url('1') }),
        { method: 'PATCH', path: a, body: { title: 'doomed' } },
        { method: 'DELETE', path: '/articles?title=doomed' },
        { method: 'DELETE', path: '/articles?_limit=1' },
        create({ url: url('a') }),
        { method: 'DELETE', path: '/articles', headers: unmodifiedSince(NOW) },
        { method: 'GET', path: '/articles' },
      ],
    ],
    [
      'what is not about articles',
      () => [
        { method: 'GET', path: '/nothing' },
        create({ url: url('1') }),
        { method: 'POST', path: '/articles/1' },
        { method: 'GET', path: '/__lbheartbeat__' },
        { method: 'GET', path: '/acct-oauth/token' },
        { method: 'GET', path: '/articles/1/2' },
        create({ url: url('2') }),
      ],
    ],
  ];

  async function prepared() {
    const device = await signedIn();
    app.setClock(NOW);
    const ids = new Map<string, string>();
    for (const name of ['a', 'b']) {
      const { body } = await runAlone(device, create({ url: url(name), title: name }));
      ids.set(name, body.id as string);
    }
    return { device, a: `/articles/${ids.get('a')}`, b: `/articles/${ids.get('b')}` };
  }

  /** Without what differs between any two requests or articles. */
  function comparable(slots: Slot[]) {
    const names = new Map<string, string>();
    const all = JSON.stringify(slots.map(({ body }) => body));
    for (const [, id, itsUrl] of all.matchAll(/"id":"([^"]+)".*?"url":"([^"]+)"/g))
      if (!names.has(id!)) names.set(id!, itsUrl!);
    return slots.map(({ status, body, headers }) => {
      const byName = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const text = JSON.stringify(body).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => names.get(id) ?? 'unknown');
      const { 'last-modified': time, 'total-records': total, 'next-page': next } = byName;
      return { status, body: JSON.parse(text) as unknown, time, total, hasNext: next !== undefined };
    });
  }

  it.each(cases)('%s', async (_, entriesOf) => {
    const [batched, single] = [await prepared(), await prepared()];
    // The same articles for both users.
    const entries = entriesOf('A', 'B');
    const of = ({ a, b }: { a: string; b: string }) =>
      entries.map((entry) => ({ ...entry, path: { A: a, B: b }[entry.path] ?? entry.path }));
    const together = await run(batched.device, of(batched));
    const one: Slot[] = [];
    for (const entry of of(single)) one.push(await runAlone(single.device, entry));
    const everything: Entry = { method: 'GET', path: '/articles?_since=0' };
    const [afterBatch, afterwards] = [
      await runAlone(batched.device, everything),
      await runAlone(single.device, everything),
    ];
    expect(comparable([...together, afterBatch])).toEqual(comparable([...one, afterwards]));
  });
});

describe('a batch is one transaction', () => {
  it('of which others see everything or nothing', async () => {
    requireOwnService('it looks while a batch runs');
    const [device, seen] = [await signedIn(), [] as number[]];
    await countOf(device);
    const articles = app.nest.get(ArticlesService, { strict: false });
    const original = articles.create.bind(articles);
    vi.spyOn(articles, 'create').mockImplementation(async (...given) => {
      const result = await original(...given);
      seen.push(await countOf(device));
      return result;
    });
    await run(device, [create(), create(), create()]);
    expect(seen).toEqual([0, 0, 0]);
    expect(await countOf(device)).toBe(3);
  });

  it('in which no request begins when the client would hear of it too late', { timeout: 20_000 }, async () => {
    requireOwnService('it makes the service slow');
    const device = await signedIn();
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const articles = app.nest.get(ArticlesService, { strict: false });
    const find = articles.find.bind(articles);
    vi.spyOn(articles, 'find').mockImplementation(async (...given) => {
      await sleep(1_800);
      return find(...given);
    });
    const get = { method: 'GET', path: `/articles/${article.id}` };
    const slots = await run(device, [get, get, get, get]);
    expect(statusesOf(slots)).toEqual([200, 200, 200, 503]);
    expect(slots[3]!.body.errno).toBe(201);
  });

  it('that is announced once, with its last timestamp', async () => {
    requireOwnService('it listens to the changes of the service');
    const device = await signedIn();
    await countOf(device);
    const announce = vi.spyOn(app.nest.get(CollectionClock), 'announce');
    const slots = await run(device, [create(), create(), { method: 'GET', path: '/articles' }, create()]);
    expect(announce.mock.calls.map(([, time]) => time)).toEqual([slots.at(-1)!.body.last_modified]);
  });

  it('is not announced when nothing has changed', async () => {
    requireOwnService('it listens to the changes of the service');
    const device = await signedIn();
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const announce = vi.spyOn(app.nest.get(CollectionClock), 'announce');
    const path = `/articles/${article.id}`;
    await run(device, [
      { method: 'GET', path },
      { method: 'PATCH', path, body: {} },
      { ...create(), body: article },
    ]);
    expect(announce).not.toHaveBeenCalled();
  });

  it.each([
    ['fails', () => Promise.reject(new Error('a defect')), 500],
    ['is discarded', (article: Article) => Promise.resolve(discarded(article)), 200],
  ])('without what a request wrote that %s', async (_, end, status) => {
    requireOwnService('it adds a defect to the service');
    const device = await signedIn();
    const { body: stored } = await device.post('/articles').send(anArticle()).expect(201);
    const collections = app.nest.get(CollectionClock, { strict: false });
    const articles = app.nest.get(ArticlesService, { strict: false });
    const defective = vi.spyOn(articles, 'patch').mockImplementation((caller) =>
      collections.change(caller, { liveDelta: 1 }, async (transaction, time): Promise<Outcome<Article>> => {
        const article = { ...(stored as Article), id: randomUUID(), last_modified: time };
        await insertArticle(transaction, caller.account, { ...article, url: 'http://x/', resolved_url: 'http://x/' });
        return end(article);
      }),
    );
    const patch = { method: 'PATCH', path: `/articles/${stored.id}`, body: {} };
    const list = { method: 'GET', path: '/articles?_sort=last_modified' };
    const slots = await run(device, [create(), patch, create(), patch, list, create()]);
    expect(statusesOf(slots)).toEqual([201, status, 201, status, 200, 201]);
    expect(defective).toHaveBeenCalledTimes(2);
    const created = slots.filter((slot) => slot.status === 201).map(({ body }) => body);
    expect(slots[4]!.body.items).toEqual([stored, created[0], created[1]]);
    expect((await device.get('/articles?_sort=last_modified').expect(200)).body.items).toEqual([stored, ...created]);
    expect(await countOf(device)).toBe(4);
  });

  it('in which a new user gets a timestamp that stays', async () => {
    const device = await signedIn();
    const missing = { method: 'DELETE', path: `/articles/${randomUUID()}` };
    const [gone, listed] = await run(device, [missing, { method: 'HEAD', path: '/articles' }]);
    expect([gone!.status, listed!.status]).toEqual([404, 200]);
    const { headers } = await device.head('/articles').expect(200);
    expect(listed!.headers['Last-Modified']).toBe(headers['last-modified']);
  });

  it('that keeps others waiting no longer than one of its user does, however many there are', async () => {
    requireOwnService('it slows the service down');
    const [device, other] = [await signedIn(), await signedIn()];
    const { headers } = await device.head('/articles').expect(200);
    expect(headers['total-records']).toBe('0');
    const articles = app.nest.get(ArticlesService, { strict: false });
    const original = articles.create.bind(articles);
    vi.spyOn(articles, 'create').mockImplementation(async (...given) => {
      const result = await original(...given);
      if (given[0].shared) await sleep(400);
      return result;
    });
    const ended: string[] = [];
    const batches = Array.from({ length: 4 }, () => run(device, [create()]).then(() => ended.push('batch')));
    await sleep(50);
    await runAlone(other, create());
    ended.push('other');
    await Promise.all(batches);
    expect(ended.indexOf('other')).toBeLessThanOrEqual(1);
  });

  it('that ends early when it has locked the account for too long', async () => {
    requireOwnService('it makes the service believe that time has passed');
    const device = await signedIn();
    vi.spyOn(SharedChanges.prototype, 'isOverdue', 'get').mockReturnValueOnce(false).mockReturnValue(true);
    const slots = await run(device, [create(), create(), { method: 'GET', path: '/articles' }]);
    expect(statusesOf(slots)).toEqual([201, 503, 503]);
    expect(slots[1]!.body).toMatchObject({ errno: 201, message: expect.stringContaining('too long') as string });
    expect(slots[1]!.headers['Retry-After']).toBe('30');
    expect(await countOf(device)).toBe(1);
  });

  it('of which nothing happens when its client goes away', async () => {
    requireOwnService('it closes the connections of the service');
    const [device, other] = [await signedIn(), await signedIn()];
    await countOf(device);
    const articles = app.nest.get(ArticlesService, { strict: false });
    const original = articles.create.bind(articles);
    vi.spyOn(articles, 'create').mockImplementationOnce(async (...given) => {
      const result = await original(...given);
      app.server.closeAllConnections();
      return result;
    });
    await expect(device.post('/batch').send({ requests: [create(), create()] })).rejects.toThrow();
    await run(other, [create()]);
    expect([await countOf(device), await countOf(other)]).toEqual([0, 1]);
  });
});

describe('the rate limit', () => {
  it('counts each request of a batch once, however often the batch is repeated', async () => {
    requireOwnService('it adds a defect to the service');
    const limited = await startAppWithProvider({ RATE_LIMIT_PER_MINUTE: '5' });
    const device = clientWith(limited.url, `Bearer ${await limited.issue(randomUUID())}`);
    const collections = limited.nest.get(CollectionClock, { strict: false });
    const articles = limited.nest.get(ArticlesService, { strict: false });
    vi.spyOn(articles, 'find').mockImplementation((caller) =>
      collections.change(caller, { liveDelta: 0 }, async (transaction) => {
        await transaction.run('UPDATE accounts SET live_count = 7 WHERE account = ?', [caller.account]);
        throw new Error('a defect');
      }),
    );
    const defect = { method: 'GET', path: '/articles/defect' };
    expect(statusesOf(await run(device, [create(), defect, create()]))).toEqual([201, 500, 201]);
    expect(statusesOf(await run(device, [create(), create(), create()]))).toEqual([201, 201, 429]);
    await device.get('/articles').expect(429);
    await limited.close();
  });

  it('counts the deletion of all articles in its place', async () => {
    const limited = await startAppWithProvider({ RATE_LIMIT_PER_MINUTE: '5' });
    const device = clientWith(limited.url, `Bearer ${await limited.issue(randomUUID())}`);
    const entries = [create(), { method: 'DELETE', path: '/articles' }, create(), create(), create(), create()];
    expect(statusesOf(await run(device, entries))).toEqual([201, 200, 201, 201, 201, 429]);
    await limited.close();
  });
});
