import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import { accountKey } from '../src/auth/caller.js';
import { type Bed, makeBed } from './bed.js';
import { USER_ID_SECRET } from './data.js';
import { short, table } from './figures.js';
import { LoadConnection } from './load/connection.js';
import { startBuiltService, type Subject } from './subjects.js';
import { lastModified, Requests } from './waiting/messages.js';

const { values: options } = parseArgs({
  options: {
    users: { type: 'string', default: '100,1000,3000' },
    articles: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '30' },
    /** The Node to run the service with, such as that of the image. */
    node: { type: 'string', default: process.execPath },
  },
});
const DEVICES = 3;
const POLL_EVERY_SECONDS = 300;
const WAIT_SECONDS = 55;
const ARTICLES = Number(options.articles);
const SECONDS = Number(options.seconds);

/* What one instance takes for so many users, each with a list and devices that poll at intervals, or else wait. */
const bed = await makeBed('mariadb');
const rows: string[][] = [];
let seeded = 0;
try {
  for (const users of options.users.split(',').map(Number)) {
    for (; seeded < users; seeded++) await bed.seeder.articles({ account: basicAccount(nameOf(seeded)), to: ARTICLES });
    await bed.seeder.settle();
    const [polling, waiting] = [await observe(bed, users, poll), await observe(bed, users, wait)];
    rows.push([String(users), ...polling, ...waiting, short(await databaseMebibytes(bed.databaseUrl))]);
    console.error(rows.at(-1)!.join(' '));
  }
} finally {
  await bed.close();
}
const of = (what: string) => [what, 'MiB', '% of a core'];
console.log(table(['users', ...of('polls /s'), ...of('held'), 'database MiB'], rows));
process.exit();

function nameOf(user: number): string {
  return `sized-${user}`;
}

/** The key of a user that `Requests` signs in as. */
function basicAccount(name: string): string {
  return accountKey(USER_ID_SECRET, 'basic', [name, 'secret']).toString('hex');
}

/** Resolves when all devices are there; how many they are, or the polls per second, is known at the end. */
type Load = (subject: Subject, users: number, signal: AbortSignal) => Promise<{ amount: Promise<number> }>;

/** How much load there was, and the memory and processor time of a new instance under it. */
async function observe({ databaseUrl, issuer }: Bed, users: number, load: Load): Promise<string[]> {
  const variables = { BASIC_AUTH_ENABLED: 'true', NODE: options.node };
  const subject = await startBuiltService({ databaseUrl, issuer, variables });
  await firstSyncs(subject, users);
  const end = new AbortController();
  const { amount } = await load(subject, users, end.signal);
  await sleep(5_000);
  const [processor, begun] = [subject.processorTime(), performance.now()];
  await sleep(SECONDS * 1000);
  const share = (subject.processorTime() - processor) / (performance.now() - begun);
  const memory = subject.residentMebibytes();
  end.abort();
  const figures = [short(await amount), short(memory), short(share * 100)];
  await subject.stop();
  return figures;
}

/** A hundred devices load their lists. */
async function firstSyncs({ port }: Subject, users: number): Promise<void> {
  const connection = new LoadConnection(port);
  for (let at = 0; at < 100; at++) {
    const requests = new Requests(nameOf(at % users));
    for (let page = 0; page < ARTICLES / 100; page++) await expectStatus(connection.send(requests.poll(0)), 200);
  }
  connection.close();
}

/** Each device polls at intervals, on a new connection. */
function poll({ port }: Subject, users: number, signal: AbortSignal): ReturnType<Load> {
  const perSecond = (users * DEVICES) / POLL_EVERY_SECONDS;
  const begun = performance.now();
  const go = async (): Promise<number> => {
    let polls = 0;
    for (; !signal.aborted; await sleep(begun + ((polls + 1) * 1000) / perSecond - performance.now())) {
      const connection = new LoadConnection(port);
      await expectStatus(connection.send(new Requests(nameOf((polls * 7) % users)).poll(Date.now())), 304);
      connection.close();
      polls++;
    }
    return polls / ((performance.now() - begun) / 1000);
  };
  return Promise.resolve({ amount: go() });
}

/** Each device waits for changes, again and again. */
async function wait({ port }: Subject, users: number, signal: AbortSignal): ReturnType<Load> {
  const connections: LoadConnection[] = [];
  let next = 0;
  const connect = async (): Promise<void> => {
    for (let device = next++; device < users * DEVICES; device = next++) {
      const connection = new LoadConnection(port);
      connections.push(connection);
      const requests = new Requests(nameOf(device % users));
      const since = lastModified((await connection.send(requests.count())).head);
      void (async () => {
        while (!signal.aborted) await expectStatus(connection.send(requests.poll(since, WAIT_SECONDS)), 304);
      })().catch(failUnless(signal));
    }
  };
  await Promise.all(Array.from({ length: 20 }, connect));
  const amount = once(signal, 'abort').then(() => {
    for (const connection of connections) connection.close();
    return connections.length;
  });
  return { amount };
}

async function expectStatus(outcome: ReturnType<LoadConnection['send']>, expected: number): Promise<void> {
  const { status } = await outcome;
  if (status !== expected) throw new Error(`${status} instead of ${expected}`);
}

function failUnless(signal: AbortSignal) {
  return (error: unknown) => {
    if (signal.aborted) return;
    console.error(error);
    process.exit(1);
  };
}

async function databaseMebibytes(url: string): Promise<number> {
  const connection = await mysql.createConnection(url);
  await connection.query('ANALYZE TABLE articles');
  const [found] = await connection.query<mysql.RowDataPacket[]>(
    'SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  await connection.end();
  return Number(found[0]!.bytes) / 2 ** 20;
}
