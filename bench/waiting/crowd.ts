import { LoadConnection, type Outcome } from '../load/connection.js';
import { quantile } from '../load/job.js';
import { lastModified, Requests } from './messages.js';

/** An order for the crowd. */
export type Order =
  | { order: 'wait'; port: number; users: number; seconds: number }
  | { order: 'storm'; writers: number }
  | { order: 'plain'; atOnce: number }
  | { order: 'share'; port: number; requests: number };

/** The crowd's report; times in milliseconds. */
export interface Report {
  failure?: string;
  /** Responses by status. */
  statuses: Record<number, number>;
  milliseconds: number;
  p50?: number;
  p99?: number;
  /** Of the waiters that share a list, how many got an immediate response. */
  atOnce?: number;
}

interface Member {
  connection: LoadConnection;
  requests: Requests;
  since: number;
  waiting?: Promise<Outcome & { at: number }>;
}

const OPENING = 50;

/* Many devices, each with a connection of its own, in a process of its own: gets orders from its parent, reports back. */
let members: Member[] = [];
process.on('message', (order: Order) => {
  const carry = { wait, storm, plain, share }[order.order] as (order: Order) => Promise<Report>;
  carry(order).then(
    (report) => process.send!(report),
    (error: unknown) => process.send!({ failure: String(error), statuses: {}, milliseconds: 0 } satisfies Report),
  );
});

/** Starts all waiting polls. */
async function wait({ port, users, seconds }: Extract<Order, { order: 'wait' }>): Promise<Report> {
  const start = performance.now();
  members = [];
  const names = Array.from({ length: users }, (_, at) => `crowd-${at}`);
  await inTurn(names, OPENING, async (name) => {
    // Connects only when needed, because the service closes idle connections.
    const member: Member = { connection: new LoadConnection(port), requests: new Requests(name), since: 0 };
    members.push(member);
    member.since = await timestampOf(member.connection, member.requests);
    member.waiting = member.connection
      .send(member.requests.poll(member.since, seconds))
      .then((outcome) => ({ ...outcome, at: performance.now() }));
  });
  return { statuses: {}, milliseconds: performance.now() - start };
}

/**
 * Writes for each waiter, as fast as a few writers can; measures the time from the response to a write until its waiter
 * is notified.
 */
async function storm({ writers }: Extract<Order, { order: 'storm' }>): Promise<Report> {
  const start = performance.now();
  const port = members[0]!.connection.port;
  const connections = Array.from({ length: writers }, () => new LoadConnection(port));
  const delays: number[] = [];
  const arrivals: Promise<void>[] = [];
  const statuses: Record<number, number> = {};
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let member = members[next++]; member; member = members[next++]) {
        await connection.send(member.requests.create(0));
        const written = performance.now();
        arrivals.push(
          member.waiting!.then(({ status, at }) => {
            statuses[status] = (statuses[status] ?? 0) + 1;
            delays.push(Math.max(0, at - written));
          }),
        );
      }
      connection.close();
    }),
  );
  await Promise.all(arrivals);
  const sorted = Float64Array.from(delays).sort();
  const milliseconds = performance.now() - start;
  return { statuses, milliseconds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

/** An ordinary poll on each connection. */
async function plain({ atOnce }: Extract<Order, { order: 'plain' }>): Promise<Report> {
  const statuses: Record<number, number> = {};
  const start = performance.now();
  await inTurn(members, atOnce, async ({ connection, requests }) => {
    const { status } = await connection.send(requests.poll(Date.now() + 60_000));
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  return { statuses, milliseconds: performance.now() - start };
}

/** Many waiters of one list: those beyond the limit get an immediate response. */
async function share({ port, requests }: Extract<Order, { order: 'share' }>): Promise<Report> {
  const shared = new Requests('shared');
  const first = new LoadConnection(port);
  const since = await timestampOf(first, shared);
  const start = performance.now();
  const connections = Array.from({ length: requests }, () => new LoadConnection(port));
  let [answered, atOnce] = [0, 0];
  const answers = connections.map((connection) =>
    connection.send(shared.poll(since, 55)).then((outcome) => {
      answered++;
      if (!/\r\npreference-applied:/i.test(outcome.head)) atOnce++;
      return outcome;
    }),
  );
  while (answered < requests - 20 && performance.now() - start < 60_000) await new Promise((go) => setTimeout(go, 5));
  const milliseconds = performance.now() - start;
  await first.send(shared.create(0));
  const statuses: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1;
  for (const connection of [first, ...connections]) connection.close();
  return { statuses, milliseconds, atOnce };
}

/** Retries while the service is busy, like a device. */
async function timestampOf(connection: LoadConnection, requests: Requests): Promise<number> {
  for (;;) {
    const { status, head } = await connection.send(requests.count());
    if (status === 200) return lastModified(head);
    if (status !== 503) throw new Error(`a count had the status ${status}`);
    await new Promise((go) => setTimeout(go, 500));
  }
}

async function inTurn<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
