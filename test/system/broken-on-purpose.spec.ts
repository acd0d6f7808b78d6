import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCollection } from '../../src/accounts/accounts.store.js';
import { TICKS } from '../../src/accounts/tick.js';
import { ListingService } from '../../src/articles/listing.service.js';
import { anArticle } from '../support/article.js';
import { startApp, type TestApp } from '../support/app.js';
import { createOnServer, type TestDatabase } from '../support/database.js';
import { fullState, Poller, send } from '../support/devices.js';
import { startMariaDb } from '../support/servers/mariadb.js';

/**
 * The checks of the other files are only worth something if they fail when the service is wrong. Here it is wrong on purpose.
 */
let server: Awaited<ReturnType<typeof startMariaDb>>;
let database: TestDatabase;
let app: TestApp;

beforeAll(async () => {
  server = await startMariaDb();
  database = await createOnServer(server.url());
  // A user has a fifth of the connections, and is to have one for each of the writers here and for the poller.
  app = await startApp({ DATABASE_POOL_SIZE: '50' }, database);
});

afterAll(async () => {
  await app.close();
  await server.remove();
});

const rightTick = TICKS.server;

/** Replaces how the account is locked and its clock advanced while `work` runs. */
async function withTick(tick: typeof rightTick, work: () => Promise<void>): Promise<void> {
  TICKS.server = tick;
  try {
    await work();
  } finally {
    TICKS.server = rightTick;
  }
}

/** How many records a poller never sees, and how many writes fail, while several writers run. */
async function writeAndPoll(steps = 40): Promise<{ missed: number; failed: number; duplicates: number }> {
  const user = randomUUID();
  await send(app.url, user, 'GET', '/articles');
  const poller = new Poller([app.url], user);
  let failed = 0;
  let writing = true;
  const times: number[] = [];
  const write = async () => {
    for (let step = 0; step < steps; step++) {
      const answer = await send(app.url, user, 'POST', '/articles', anArticle());
      if (answer.status === 201) times.push(answer.body.last_modified);
      else failed++;
    }
  };
  const polling = (async () => {
    while (writing) await poller.poll();
    await poller.poll();
  })();
  await Promise.all(Array.from({ length: 8 }, write));
  writing = false;
  await polling;
  const truth = await fullState(app.url, user);
  const missed = [...truth.keys()].filter((id) => !poller.items.has(id)).length;
  return { missed, failed, duplicates: times.length - new Set(times).size };
}

/** What some rounds find at most, up to the first that finds more than `least`: it takes a request at the wrong moment. */
async function highestOf(round: () => Promise<number>, least = 0): Promise<number> {
  let highest = 0;
  for (let turn = 0; turn < 10 && highest <= least; turn++) highest = Math.max(highest, await round());
  return highest;
}

it('finds nothing wrong with the service as it is', async () => {
  expect(await writeAndPoll()).toEqual({ missed: 0, failed: 0, duplicates: 0 });
});

it('notices timestamps that are given out without the lock of the account', { timeout: 180_000 }, async () => {
  let last = 0;
  const tick: typeof rightTick = async (session, { account, liveDelta }) => {
    const given = (last = Math.max(last + 1, Date.now()));
    // The transaction goes on a little after it has its timestamp, as a busy server would let it.
    await session.rows('SELECT SLEEP(?)', [Math.random() * 0.05]);
    await session.run(
      `INSERT INTO accounts (account, last_modified, live_count) VALUES (?, ?, ?)
       ON DUPLICATE KEY UPDATE last_modified = GREATEST(last_modified, ?), live_count = live_count + ?`,
      [account, given, liveDelta, given, liveDelta],
    );
    return { timestamp: given };
  };
  await withTick(tick, async () => {
    expect(await highestOf(async () => (await writeAndPoll(15)).missed)).toBeGreaterThan(0);
  });
});

it('notices a precondition that is checked outside the transaction', async () => {
  await withTick(
    (session, change) => rightTick(session, { ...change, ifUnmodifiedSince: undefined }),
    async () => {
      const winners = async () => {
        const user = randomUUID();
        const seen = (await send(app.url, user, 'HEAD', '/articles')).headers.get('last-modified')!;
        const answers = await Promise.all(
          Array.from({ length: 10 }, () =>
            send(app.url, user, 'POST', '/articles', anArticle(), { 'if-unmodified-since': seen }),
          ),
        );
        return answers.filter(({ status }) => status === 201).length;
      };
      expect(await highestOf(winners, 1)).toBeGreaterThan(1);
    },
  );
});

it('notices a Last-Modified that is read after the rows', { timeout: 180_000 }, async () => {
  const service = app.nest.get(ListingService);
  const list = service.list.bind(service);
  service.list = async (caller, ...rest) => {
    const listing = await list(caller, ...rest);
    await sleep(5);
    const later = await app.database.onSession((session) => findCollection(session, caller.account));
    return { ...listing, last_modified: later!.last_modified };
  };
  try {
    expect(await highestOf(async () => (await writeAndPoll(15)).missed)).toBeGreaterThan(0);
  } finally {
    service.list = list;
  }
});
