import { randomBytes, randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CollectionClock } from '../../src/accounts/collection-clock.js';
import { DeprovisionedUsers } from '../../src/auth/tokens/deprovisioned-users.js';
import { startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, clientWith, type Client } from '../support/client.js';

/** One connection, so that the server's count for the session is the count of the service. */
const SETTINGS = { DATABASE_POOL_SIZE: '1' };

let app: TestAppWithProvider;
let device: Client;
let statements: () => Promise<number>;
/** Whoever is deprovisioned is read every few seconds, for all requests together. */
let shared: () => number;

beforeAll(async () => {
  statements = process.env.TEST_DATABASE === 'sqlite' ? countedInDriver() : countedByServer;
  app = await startAppWithProvider(SETTINGS);
  const reads = vi.spyOn(app.nest.get<{ read: () => Promise<void> }>(DeprovisionedUsers, { strict: false }), 'read');
  shared = () => reads.mock.calls.length;
  device = client(app.url);
  for (let at = 0; at < 5; at++) await create({ title: String(at) });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
});

/** Around reads that wait for nothing else, however many requests they are for. */
const SHARED = new Set(['BEGIN', 'END']);

/** Counts every statement that better-sqlite3 executes, but for the shared ones. */
function countedInDriver(): () => Promise<number> {
  const memory = new Sqlite(':memory:');
  const prototype = Object.getPrototypeOf(memory.prepare('SELECT 1')) as Sqlite.Statement;
  const spies = [vi.spyOn(prototype, 'all'), vi.spyOn(prototype, 'run'), vi.spyOn(prototype, 'get')];
  memory.close();
  const counted = (spy: (typeof spies)[number]) =>
    spy.mock.contexts.filter((statement) => !SHARED.has((statement as Sqlite.Statement).source)).length;
  return () => Promise.resolve(spies.reduce((sum, spy) => sum + counted(spy), 0));
}

/** Asks the server how many statements the session has sent; the question itself is not counted. */
let asked = 0;
async function countedByServer(): Promise<number> {
  const sql = "SHOW SESSION STATUS LIKE 'Questions'";
  const [row] = await app.database.onSession((session) => session.rows(sql, []));
  return Number(row!.Value) - ++asked;
}

const create = async (fields: Record<string, unknown> = {}) =>
  (await device.post('/articles').send(anArticle(fields)).expect(201)).body as {
    id: string;
    url: string;
    last_modified: number;
  };

/** How many statements a request takes, once the user is known and every statement is prepared. */
async function cost(request: () => PromiseLike<unknown>): Promise<number> {
  const before = (await statements()) - shared();
  await request();
  return (await statements()) - shared() - before;
}

describe('one statement is enough to', () => {
  it('read an article', async () => {
    const { id } = await create();
    expect(await cost(() => device.get(`/articles/${id}`).expect(200))).toBe(1);
  });

  it('find that an article is unchanged', async () => {
    const { id } = await create();
    const request = () => device.get(`/articles/${id}`).set('If-Modified-Since', '9999999999999').expect(304);
    expect(await cost(request)).toBe(1);
  });

  it('find that the collection is unchanged', async () => {
    const request = () => device.get('/articles?_since=5').set('If-Modified-Since', '9999999999999').expect(304);
    expect(await cost(request)).toBe(1);
  });
});

it('polls of one turn of the event loop share a statement, where one is a message to another process', async () => {
  const collections = app.nest.get(CollectionClock, { strict: false });
  const owners = Array.from({ length: 20 }, () => ({ account: randomBytes(16), key: randomUUID(), statements: 0 }));
  const together = () => Promise.all(owners.map((owner) => collections.latest(owner)));
  expect(await cost(together)).toBe(process.env.TEST_DATABASE === 'sqlite' ? 20 : 1);
  expect(owners.map(({ statements }) => statements)).toEqual(Array<number>(20).fill(1));
});

describe('three statements are enough for a poll that finds news', () => {
  it.each([undefined, 'wait=5'])('that prefers %s', async (prefer) => {
    const poll = () => {
      const request = device.get('/articles?_since=5').set('If-Modified-Since', '1');
      return (prefer === undefined ? request : request.set('Prefer', prefer)).expect(200);
    };
    expect(await cost(poll)).toBeLessThanOrEqual(3);
  });
});

describe('one statement is enough to', () => {
  it.each(['', '?_limit=2', '?_since=5', '?unread=true', '?unread=true&_sort=title&_limit=2'])(
    'list and count articles%s',
    async (query) => {
      expect(await cost(() => device.get(`/articles${query}`).expect(200))).toBe(1);
      expect(await cost(() => device.head(`/articles${query}`).expect(200))).toBe(1);
    },
  );

  it('list the next page', async () => {
    const { headers } = await device.get('/articles?unread=true&_sort=title&_limit=2').expect(200);
    const next = `/articles${new URL(headers['next-page']!).search}`;
    expect(await cost(() => device.get(next).expect(200))).toBe(1);
  });
});

describe('two statements are enough to', () => {
  it.each(['?_since=9999999999999', '?title=none'])('list and count no articles%s', async (query) => {
    expect(await cost(() => device.get(`/articles${query}`).expect(200))).toBeLessThanOrEqual(2);
    expect(await cost(() => device.head(`/articles${query}`).expect(200))).toBeLessThanOrEqual(2);
  });
});

it('a count that was asked for before takes one statement, and two after a change', async () => {
  const count = () => device.head('/articles?unread=true&favorite=false').expect(200);
  await count();
  expect(await cost(count)).toBe(1);
  await create();
  expect(await cost(count)).toBe(2);
  expect(await cost(count)).toBe(1);
});

describe('with BEGIN and COMMIT', () => {
  /** Where a statement costs next to nothing, the URL is looked for before the transaction. */
  const looksFirst = process.env.TEST_DATABASE === 'sqlite';

  it('four statements are enough to create an article, and one more in a file', async () => {
    expect(await cost(() => create())).toBeLessThanOrEqual(looksFirst ? 5 : 4);
  });

  it('five statements are enough to find that an article is there, and one in a file', async () => {
    const article = await create();
    const request = () => device.post('/articles').send(article).expect(200);
    expect(await cost(request)).toBeLessThanOrEqual(looksFirst ? 1 : 5);
  });

  it('one statement is enough for a user who sends known articles, until there is a new one', async () => {
    const article = await create();
    const request = () => device.post('/articles').send(article).expect(200);
    await request();
    for (let n = 0; n < 3; n++) expect(await cost(request)).toBe(1);
    expect(await cost(() => create())).toBeLessThanOrEqual(5);
    expect(await cost(() => create())).toBeLessThanOrEqual(looksFirst ? 5 : 4);
  });

  it('five statements are enough to find an article by its resolved URL, and one more in a file', async () => {
    const { url } = await create();
    const request = () =>
      device
        .post('/articles')
        .send(anArticle({ resolved_url: url }))
        .expect(200);
    expect(await cost(request)).toBeLessThanOrEqual(looksFirst ? 6 : 5);
    await create();
  });

  it('five statements are enough to modify an article', async () => {
    const { id } = await create();
    const request = () =>
      device.patch(`/articles/${id}`).send({ unread: false, resolved_url: 'http://r/' }).expect(200);
    expect(await cost(request)).toBeLessThanOrEqual(5);
  });

  it('four statements are enough to find that nothing is to be modified', async () => {
    const { id } = await create();
    expect(await cost(() => device.patch(`/articles/${id}`).send({ unread: true }).expect(200))).toBeLessThanOrEqual(4);
  });

  it('four statements are enough to delete an article', async () => {
    const { id } = await create();
    expect(await cost(() => device.delete(`/articles/${id}`).expect(200))).toBeLessThanOrEqual(4);
  });

  it('eight statements are enough to delete the collection', async () => {
    for (let at = 0; at < 10; at++) await create({ title: 'doomed' });
    const request = async () => {
      const { body } = await device.delete('/articles?title=doomed').expect(200);
      expect(body.items).toHaveLength(10);
    };
    expect(await cost(request)).toBeLessThanOrEqual(8);
  });
});

describe('in a batch', () => {
  const SIZE = 25;
  let signedIn: Client;
  let ids: string[];

  const run = async (statuses: number, entry: (at: number) => object) => {
    const requests = Array.from({ length: SIZE }, (_, at) => entry(at));
    const { body } = await signedIn.post('/batch').send({ requests }).expect(200);
    const responses = body.responses as { status: number; body: { id: string } }[];
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(SIZE).fill(statuses));
    ids = responses.map((response) => response.body.id);
  };
  const creation = () => ({ method: 'POST', path: '/articles', body: anArticle() });

  beforeAll(async () => {
    signedIn = clientWith(app.url, `Bearer ${await app.issue('a batch')}`);
    await run(201, creation);
  });

  const inserts = process.env.TEST_DATABASE === 'sqlite' ? SIZE : 2;

  it('BEGIN, the lock, the clock and COMMIT are sent once for 25 creates', async () => {
    expect(await cost(() => run(201, creation))).toBe(inserts + 4);
  });

  it('and twice if one of them is a duplicate: each URL is then looked for before it is inserted', async () => {
    const bodies = Array.from({ length: SIZE }, () => anArticle());
    bodies[9] = bodies[8]!;
    const requests = bodies.map((body) => ({ method: 'POST', path: '/articles', body }));
    const send = () => signedIn.post('/batch').send({ requests }).expect(200);
    const isServer = process.env.TEST_DATABASE !== 'sqlite';
    // BEGIN, the lock, the refused INSERT, a look at what was refused and ROLLBACK come before that.
    const refused = isServer ? inserts + 4 : 0;
    expect(await cost(send)).toBeLessThanOrEqual(refused + 2 * SIZE + 4);
    expect(await cost(send)).toBe(isServer ? 5 + SIZE + 3 : 2 * SIZE + 3);
  });

  it('and for 25 changes, each of which reads its article', async () => {
    const change = (at: number) => ({ method: 'PATCH', path: `/articles/${ids[at]}`, body: { title: 'changed' } });
    expect(await cost(() => run(200, change))).toBe(2 * SIZE + 4);
  });

  it('and for 25 deletions', async () => {
    expect(await cost(() => run(200, (at) => ({ method: 'DELETE', path: `/articles/${ids[at]}` })))).toBe(SIZE + 4);
  });

  it('and no row is written for 25 changes of nothing', async () => {
    await run(201, creation);
    const change = (at: number) => ({ method: 'PATCH', path: `/articles/${ids[at]}`, body: { unread: true } });
    expect(await cost(() => run(200, change))).toBe(SIZE + 3);
  });

  it('and no transaction for 25 reads', async () => {
    expect(await cost(() => run(200, (at) => ({ method: 'GET', path: `/articles/${ids[at]}` })))).toBe(SIZE);
    expect(await cost(() => run(200, () => ({ method: 'HEAD', path: '/articles?unread=true' })))).toBe(SIZE);
  });
});

describe('no statement is needed to', () => {
  it.each([
    ['refuse a stranger', () => device.get('/articles').set('Authorization', '').expect(401)],
    ['refuse a wrong parameter', () => device.get('/articles?colour=red').expect(400)],
    ['refuse a forged page token', () => device.get('/articles?_token=x').expect(400)],
    ['refuse a wrong condition', () => device.get('/articles').set('If-Modified-Since', 'x').expect(400)],
    ['refuse an id that is not a UUID', () => device.patch('/articles/1').send({}).expect(404)],
    ['refuse a wrong article', () => device.post('/articles').send({}).expect(400)],
    ['say what the service is', () => device.get('').expect(200)],
    ['answer a load balancer', () => device.get('/__lbheartbeat__').expect(200)],
  ])('%s', async (_, request) => {
    expect(await cost(request)).toBe(0);
  });
});

it('the heartbeat reads only', async () => {
  expect(await cost(() => device.get('/__heartbeat__').expect(200))).toBe(1);
});
