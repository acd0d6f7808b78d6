import { articleId, articleUrl, FIRST_TIMESTAMP, type User } from '../data.js';

/** How many records the users of an operation have beforehand. */
export type Population = 'thousand' | 'ten-thousand' | 'writers' | 'mixed' | 'doomed';

/** A kind of request; the service and the limit server receive the same bytes. */
export interface Operation {
  name: string;
  /** The name in the results. */
  title: string;
  users: Population;
  /** The only expected status; undefined for any below 400. */
  status?: number;
  /** A user's n-th request of a job (from 0); undefined when none are left. */
  request(user: User, n: number, job: JobFacts): Buffer | undefined;
}

/** What makes the requests of a job unique. */
export interface JobFacts {
  /** A unique text. */
  salt: string;
  /** How many records each user has. */
  size: number;
  /** Numbers of the records that the job may delete. */
  doomed?: { from: number; to: number };
}

const UNCHANGED = { 'If-Modified-Since': String(FIRST_TIMESTAMP * 2) };

function message(user: User, method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = {
    Host: '127.0.0.1',
    Authorization: user.authorization,
    'X-Account': user.account,
    ...headers,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} /v2${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Constant requests are built once per user. */
function constant(build: (user: User, job: JobFacts) => Buffer): Operation['request'] {
  const known = new Map<string, Buffer>();
  return (user, _n, job) => {
    const key = `${user.account} ${job.size}`;
    const ready = known.get(key) ?? build(user, job);
    known.set(key, ready);
    return ready;
  };
}

/** A new article of some user; its URL is unique by account and name. */
export const anArticle = (account: string, name: string) => ({
  url: `https://example.com/${account}/new/${name}`,
  title: 'A title of some forty characters, more or less',
  added_by: 'laptop',
  excerpt: 'What the article says in its first lines, as a device would send it. '.repeat(4).trim(),
  word_count: 731,
});

/** Visits the records in a scattered order. */
const some = (n: number, size: number): number => 1 + ((n * 7919) % size);

/** All operations, in the order of the results. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'poll',
    title: 'poll, nothing new (304)',
    users: 'thousand',
    status: 304,
    request: constant((user, { size }) =>
      message(user, 'GET', `/articles?_since=${FIRST_TIMESTAMP + size}`, UNCHANGED),
    ),
  },
  {
    name: 'list',
    title: 'list 100 of 1,000',
    users: 'thousand',
    status: 200,
    request: constant((user) => message(user, 'GET', '/articles?_limit=100')),
  },
  {
    name: 'since',
    title: 'list 25 by `_since`',
    users: 'thousand',
    status: 200,
    request: constant((user, { size }) =>
      message(user, 'GET', `/articles?_since=${FIRST_TIMESTAMP + size - 25}&_limit=25`),
    ),
  },
  {
    name: 'read',
    title: 'read one',
    users: 'thousand',
    status: 200,
    request: (user, n, { size }) => message(user, 'GET', `/articles/${articleId(user.account, some(n, size))}`),
  },
  {
    name: 'count',
    title: 'count unread of 10,000 (HEAD)',
    users: 'ten-thousand',
    status: 200,
    request: constant((user) => message(user, 'HEAD', '/articles?unread=true')),
  },
  {
    name: 'create',
    title: 'create',
    users: 'writers',
    status: 201,
    request: (user, n, { salt }) => message(user, 'POST', '/articles', {}, anArticle(user.account, `${salt}-${n}`)),
  },
  {
    name: 'duplicate',
    title: 'create, URL already there',
    users: 'writers',
    status: 200,
    request: (user, n, { size }) =>
      message(
        user,
        'POST',
        '/articles',
        {},
        {
          ...anArticle(user.account, ''),
          url: articleUrl(user.account, some(n, size)),
        },
      ),
  },
  {
    name: 'patch',
    title: 'PATCH',
    users: 'writers',
    status: 200,
    request: (user, n, { size, salt }) =>
      message(user, 'PATCH', `/articles/${articleId(user.account, some(n, size))}`, {}, { title: `${salt} ${n}` }),
  },
  {
    name: 'delete',
    title: 'delete',
    users: 'doomed',
    status: 200,
    request: (user, n, { doomed }) =>
      doomed && doomed.from + n <= doomed.to
        ? message(user, 'DELETE', `/articles/${articleId(user.account, doomed.from + n)}`)
        : undefined,
  },
  {
    name: 'batch',
    title: 'batch of 25 creates',
    users: 'writers',
    status: 200,
    request: (user, n, { salt }) => {
      const requests = Array.from({ length: 25 }, (_, at) => ({
        method: 'POST',
        path: '/articles',
        body: anArticle(user.account, `${salt}-${n}-${at}`),
      }));
      return message(user, 'POST', '/batch', {}, { requests });
    },
  },
];

/** What a device does after it has learnt of a change. */
const recent: Operation = {
  name: 'recent',
  title: 'list 25 of the last two seconds',
  users: 'mixed',
  status: 200,
  request: (user) => message(user, 'GET', `/articles?_since=${Date.now() - 2000}&_limit=25`),
};

/** The operations of the mixture, in twentieths: a typical day of devices. */
const MIXTURE = { poll: 8, recent: 3, list: 1, read: 2, patch: 3, create: 2, duplicate: 1 };
const MIXED = Object.entries(MIXTURE).flatMap(([name, times]) => Array<string>(times).fill(name));

const mixture: Operation = {
  name: 'mixture',
  title: 'a mixture of operations',
  users: 'mixed',
  // Each device starts at a different place of the sequence, so that they do not all write, or list, at the same time.
  request: (user, n, job) =>
    operationNamed(MIXED[(n * 7 + parseInt(user.account.slice(0, 4), 16)) % MIXED.length]!).request(user, n, job),
};

export function operationNamed(name: string): Operation {
  const operation = [...OPERATIONS, recent, mixture].find((candidate) => candidate.name === name);
  if (!operation) throw new Error(`no such operation: ${name}`);
  return operation;
}
