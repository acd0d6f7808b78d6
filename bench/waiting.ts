import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startRedis } from '../test/support/servers/redis.js';
import { type Bed, type DatabaseKind, makeBed } from './bed.js';
import { short, table } from './figures.js';
import { LoadConnection } from './load/connection.js';
import { quantile } from './load/job.js';
import { startBuiltService } from './subjects.js';
import type { Order, Report } from './waiting/crowd.js';
import { lastModified, Requests } from './waiting/messages.js';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'mariadb' },
    changes: { type: 'string', default: '300' },
    held: { type: 'string', default: '10000' },
    'idle-seconds': { type: 'string', default: '20' },
  },
});
const HELD = Number(options.held);

/**
 * The time from the response to a write until a waiting device is notified, with a plain round trip for comparison; in
 * milliseconds.
 */
interface Delivery {
  p50: number;
  p99: number;
  roundTripP99: number;
}

/* Waiting polls: how soon a change arrives, what held requests cost, and what a storm of changes does. */
const bed = await makeBed(options.database as DatabaseKind);
try {
  const deliveries = {
    'same instance': await deliver(bed, 1),
    'two instances, Redis': await withRedis((url) => deliver(bed, 2, { REDIS_URL: url })),
    'two instances, without Redis': await deliver(bed, 2),
  };
  const held = await hold(bed);
  const results = { options, deliveries, held };
  print(results);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync('artefacts/bench-wait.json', JSON.stringify(results, null, 1));
} finally {
  await bed.close();
}
process.exit();

async function withRedis<T>(work: (url: string) => Promise<T>): Promise<T> {
  const redis = await startRedis();
  try {
    return await work(redis.url);
  } finally {
    await redis.remove();
  }
}

function service({ databaseUrl, issuer }: Bed, variables: Record<string, string> = {}) {
  return startBuiltService({ databaseUrl, issuer, variables: { BASIC_AUTH_ENABLED: 'true', ...variables } });
}

/** Writes to the first instance while a device waits at the last one. */
async function deliver(of: Bed, instances: number, variables: Record<string, string> = {}): Promise<Delivery> {
  const services = [await service(of, variables)];
  if (instances > 1) services.push(await service(of, variables));
  const [writer, waiter] = [services[0]!, services.at(-1)!].map(({ port }) => new LoadConnection(port));
  const user = new Requests(`delivery-${instances}-${performance.now()}`);
  let since = lastModified((await waiter!.send(user.count())).head);
  const delays: number[] = [];
  const roundTrips: number[] = [];
  for (let n = 0; n < Number(options.changes); n++) {
    roundTrips.push((await waiter!.send(user.poll(since))).milliseconds);
    const waiting = waiter!.send(user.poll(since, 55)).then((outcome) => ({ ...outcome, at: performance.now() }));
    // At a random moment between two polls of the database.
    await sleep(20 + Math.random() * (variables.REDIS_URL || instances === 1 ? 20 : 1_000));
    await writer!.send(user.create(n));
    const written = performance.now();
    const { at, status, head } = await waiting;
    if (status !== 200) throw new Error(`a waiting poll had the status ${status}`);
    delays.push(Math.max(0, at - written));
    since = lastModified(head);
  }
  for (const connection of [writer!, waiter!]) connection.close();
  for (const subject of services) await subject.stop();
  const [sorted, bare] = [Float64Array.from(delays).sort(), Float64Array.from(roundTrips).sort()];
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), roundTripP99: quantile(bare, 0.99) };
}

/** Memory and CPU time of many held requests, then a write for each, then ordinary polls on the same connections. */
async function hold(of: Bed) {
  const subject = await service(of);
  const crowd = fork(join(import.meta.dirname, 'waiting/crowd.js'));
  crowd.once('exit', (code) => code && process.exit(code));
  await tell(crowd, { order: 'wait', port: subject.port, users: 200, seconds: 1 });
  await sleep(2_500);
  const before = subject.residentMebibytes();
  const entered = await tell(crowd, { order: 'wait', port: subject.port, users: HELD, seconds: 55 });
  await sleep(2_000);
  const after = subject.residentMebibytes();
  const [processor, begun] = [subject.processorTime(), performance.now()];
  await sleep(Number(options['idle-seconds']) * 1000);
  const idle = (subject.processorTime() - processor) / (performance.now() - begun);
  const storm = await tell(crowd, { order: 'storm', writers: 16 });
  const plain = await tell(crowd, { order: 'plain', atOnce: 64 });
  const shared = await tell(crowd, { order: 'share', port: subject.port, requests: Math.min(HELD, 5_000) });
  crowd.kill();
  await subject.stop();
  return { before, after, idle, entered, storm, plain, shared };
}

async function tell(crowd: ChildProcess, order: Order): Promise<Report> {
  crowd.send(order);
  const [report] = (await once(crowd, 'message')) as [Report];
  if (report.failure !== undefined) throw new Error(`${order.order}: ${report.failure}`);
  return report;
}

type Held = Awaited<ReturnType<typeof hold>>;

function print({ deliveries, held }: { deliveries: Record<string, Delivery>; held: Held }): void {
  const rows = Object.entries(deliveries).map(([name, it]) => [name, ...[it.p50, it.p99, it.roundTripP99].map(short)]);
  console.log(table(['from a write to a waiting device', 'p50 ms', 'p99 ms', 'bare poll p99 ms'], rows));
  const { before, after, idle, storm, plain, shared } = held;
  const perSecond = ({ milliseconds }: Report) => short((HELD * 1000) / milliseconds);
  const facts = [
    [`memory of the process while it holds ${HELD} requests, MiB`, short(after)],
    ['more than with 200, MiB', short(after - before)],
    ['processor while they are held, % of a core', short(idle * 100)],
    ['a write to each: written and delivered per second', perSecond(storm)],
    ['… delivered after the write, p50 and p99 ms', `${short(storm.p50!)}, ${short(storm.p99!)}`],
    ['ordinary polls of the same connections per second', perSecond(plain)],
    ['waiters of one list that were answered at once', `${shared.atOnce} in ${short(shared.milliseconds)} ms`],
  ];
  console.log(table(['', ''], facts));
}
