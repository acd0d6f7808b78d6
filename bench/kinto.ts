import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { makeBed } from './bed.js';
import { median } from './figures.js';
import { anArticle } from './load/operations.js';
import { processorTime, startBuiltService } from './subjects.js';

/*
 * Compares the service on MariaDB with a running Kinto, a store of the same protocol family: the same records, users and
 * connections, the same HTTP client, taking turns. bench/README.md says how to start Kinto.
 */

const { values: options } = parseArgs({
  options: {
    /** Where Kinto listens. */
    kinto: { type: 'string', default: 'http://127.0.0.1:8888' },
    /** Its process, for the processor time. */
    pid: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
if (!options.pid) throw new Error('--pid: the process of Kinto');

/** Each has one connection: Kinto answers 409 where two write to one list at once. */
const USERS = 8;
const RECORDS = 1_000;
const IN_A_BATCH = 25;

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface Server {
  name: string;
  base: string;
  pid: number;
  /** The path of the records, and how a body wraps one. */
  records: string;
  wrap: (record: object) => object;
  /** The header of each user. */
  authorization: string[];
  /** The headers of a poll that finds nothing new, for a collection's timestamp. */
  unchanged: (timestamp: string) => Record<string, string>;
  timestampOf: (answer: Answer) => string;
  /** By user, filled by `seed`. */
  ids: string[][];
  /** By user, filled by `look`. */
  timestamps: string[];
}

const agent = new Agent({ keepAlive: true, maxSockets: USERS });

function send(
  server: Server,
  user: number,
  method: string,
  path: string,
  body?: object,
  headers = {},
): Promise<Answer> {
  const content = body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const authorization = server.authorization[user]!;
    const length = content === undefined ? {} : { 'content-length': Buffer.byteLength(content) };
    const type = content === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(`${server.base}${path}`, {
      method,
      agent,
      headers: { authorization, ...type, ...length, ...headers },
    });
    sent.once('error', reject).once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
    });
    sent.end(content);
  });
}

const aBatch = ({ records, wrap }: Server, name: string) => ({
  requests: Array.from({ length: IN_A_BATCH }, (_, at) => ({
    method: 'POST',
    path: records,
    body: wrap(anArticle('kinto', `${name}-${at}`)),
  })),
});

/** The operations: the expected status, and what the n-th request of a run sends. */
const OPERATIONS: Record<
  string,
  { status: number; run: (server: Server, user: number, n: number, salt: string) => Promise<Answer> }
> = {
  'poll, nothing new': {
    status: 304,
    run: (server, user) => {
      const headers = server.unchanged(server.timestamps[user]!);
      return send(server, user, 'GET', server.records, undefined, headers);
    },
  },
  'list 100 of 1,000': {
    status: 200,
    run: (server, user) => send(server, user, 'GET', `${server.records}?_limit=100`),
  },
  'read one': {
    status: 200,
    run: (server, user, n) => send(server, user, 'GET', `${server.records}/${idOf(server, user, n)}`),
  },
  create: {
    status: 201,
    run: (server, user, n, salt) =>
      send(server, user, 'POST', server.records, server.wrap(anArticle('kinto', `${salt}-${n}`))),
  },
  PATCH: {
    status: 200,
    run: (server, user, n, salt) =>
      send(server, user, 'PATCH', `${server.records}/${idOf(server, user, n)}`, server.wrap({ title: `${salt} ${n}` })),
  },
  'batch of 25 creates': {
    status: 200,
    run: (server, user, n, salt) => send(server, user, 'POST', '/batch', aBatch(server, `${salt}-${n}`)),
  },
};

const idOf = ({ ids }: Server, user: number, n: number): string => ids[user]![(n * 7919) % RECORDS]!;

async function seed(server: Server): Promise<void> {
  for (let user = 0; user < USERS; user++) {
    const ids: string[] = [];
    for (let start = 0; start < RECORDS; start += IN_A_BATCH) {
      const { body } = await send(server, user, 'POST', '/batch', aBatch(server, `seed-${start}`));
      const { responses } = JSON.parse(body) as { responses: { body: { id?: string; data?: { id: string } } }[] };
      for (const response of responses) ids.push((response.body.data?.id ?? response.body.id)!);
    }
    server.ids[user] = ids;
  }
}

/** Learns the timestamp of a user's collection. */
async function look(server: Server, user: number): Promise<void> {
  const answer = await send(server, user, 'GET', `${server.records}?_limit=1`);
  server.timestamps[user] = server.timestampOf(answer);
}

let runs = 0;

async function round(server: Server, operation: string, seconds: number) {
  const { status, run } = OPERATIONS[operation]!;
  for (let user = 0; user < USERS; user++) await look(server, user);
  const salt = `run-${++runs}`;
  const start = performance.now();
  const before = processorTime(server.pid);
  let [n, done] = [0, 0];
  const connection = async (_: unknown, user: number) => {
    while (performance.now() - start < seconds * 1000) {
      const answer = await run(server, user, n++, salt);
      if (answer.status !== status) throw new Error(`${server.name}, ${operation}: ${answer.status} ${answer.body}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: USERS }, connection));
  const perSecond = done / ((performance.now() - start) / 1000);
  return { perSecond, microseconds: ((processorTime(server.pid) - before) * 1000) / done };
}

const bed = await makeBed('mariadb');
const users = await bed.users('kinto', USERS);
const own = await startBuiltService({ databaseUrl: bed.databaseUrl, issuer: bed.issuer });
const service: Server = {
  name: 'service',
  base: `http://127.0.0.1:${own.port}/v2`,
  pid: own.pid,
  records: '/articles',
  wrap: (record) => record,
  authorization: users.map(({ authorization }) => authorization),
  unchanged: (timestamp) => ({ 'if-modified-since': timestamp }),
  timestampOf: ({ headers }) => String(headers['last-modified']),
  ids: [],
  timestamps: [],
};
const kinto: Server = {
  name: 'Kinto',
  base: `${options.kinto}/v1`,
  pid: Number(options.pid),
  records: '/buckets/default/collections/articles/records',
  wrap: (record) => ({ data: record }),
  authorization: users.map((_, at) => `Basic ${btoa(`user-${at}-${Date.now()}:secret`)}`),
  unchanged: (timestamp) => ({ 'if-none-match': timestamp }),
  timestampOf: ({ headers }) => String(headers.etag),
  ids: [],
  timestamps: [],
};
for (const server of [service, kinto]) await seed(server);
for (const operation of Object.keys(OPERATIONS)) {
  const rounds: Record<string, Awaited<ReturnType<typeof round>>[]> = { service: [], Kinto: [] };
  for (const server of [service, kinto]) await round(server, operation, 1);
  for (let at = 0; at < Number(options.rounds); at++)
    for (const server of [service, kinto])
      rounds[server.name]!.push(await round(server, operation, Number(options.seconds)));
  const shown = Object.entries(rounds).map(([name, each]) => {
    const [perSecond, microseconds] = [
      median(each.map((it) => it.perSecond)),
      median(each.map((it) => it.microseconds)),
    ];
    return `${name} ${Math.round(perSecond)}/s, ${Math.round(microseconds)} µs`;
  });
  console.log(`${operation}: ${shown.join('; ')}`);
  console.log(`  raw: ${JSON.stringify(rounds)}`);
}
await own.stop();
await bed.close();
process.exit();
