import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mysqlStore } from './limit/mysql-store.js';
import { idBytes, itemOf, type Posted } from './limit/rows.js';
import { sqliteStore } from './limit/sqlite-store.js';

/*
 * The minimum that any server would have to do: the same statements on the same schema, the same JSON, nothing else. No
 * authentication, no validation, one line per operation. Configured by PORT, DATABASE_URL and DATABASE_POOL_SIZE. With
 * COMMIT_EACH=true a batch is a transaction per entry instead of one.
 */
const databaseUrl = process.env.DATABASE_URL!;
const store = databaseUrl.startsWith('sqlite:')
  ? sqliteStore(databaseUrl.slice('sqlite:'.length))
  : mysqlStore(databaseUrl, Number(process.env.DATABASE_POOL_SIZE));

type Headers = Record<string, string | number>;

function answer(response: ServerResponse, status: number, headers: Headers, body?: object): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = JSON.stringify(body);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = Buffer.byteLength(text);
  response.writeHead(status, headers).end(text);
}

async function readBody<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  await new Promise((resolve) => request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', resolve));
  return JSON.parse(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()) as T;
}

const COLLECTION = '/v2/articles';

async function get(account: Buffer, url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!url.startsWith(`${COLLECTION}?`) && url !== COLLECTION) {
    const row = await store.one(account, idBytes(url.slice(COLLECTION.length + 1)));
    return answer(response, 200, { 'Last-Modified': row.last_modified as number }, itemOf(row));
  }
  const unchanged = request.headers['if-modified-since'];
  if (unchanged !== undefined) {
    const { last_modified } = await store.clock(account);
    if ((last_modified as number) <= Number(unchanged))
      return answer(response, 304, { 'Last-Modified': last_modified as number });
  }
  const query = new URLSearchParams(url.slice(COLLECTION.length));
  const limit = Number(query.get('_limit') ?? 100);
  const since = query.get('_since');
  const [clock, rows] = await (since === null
    ? store.list(account, limit)
    : store.since(account, Number(since), limit));
  const total = since === null ? clock.live_count : (rows[0]?.total ?? 0);
  const headers = { 'Last-Modified': clock.last_modified as number, 'Total-Records': total as number };
  answer(response, 200, headers, { items: rows.map(itemOf) });
}

async function head(account: Buffer, response: ServerResponse): Promise<void> {
  const { last_modified, total } = await store.countUnread(account);
  answer(response, 200, { 'Last-Modified': last_modified as number, 'Total-Records': total as number }, {});
}

/** Looks a URL up first where it exists: no server could know that better. */
async function create(account: Buffer, posted: Posted): Promise<{ status: number; body: object }> {
  const { created, row } = await store.create(account, posted, !posted.url.includes('/new/'));
  return { status: created ? 201 : 200, body: itemOf(row) };
}

const commitsEach = process.env.COMMIT_EACH === 'true';

async function batch(account: Buffer, { requests }: { requests: { body: Posted }[] }): Promise<object> {
  const posted = requests.map(({ body }) => body);
  const results: Awaited<ReturnType<typeof create>>[] = [];
  if (commitsEach) for (const one of posted) results.push(await create(account, one));
  else
    for (const { created, row } of await store.createAll(account, posted))
      results.push({ status: created ? 201 : 200, body: itemOf(row) });
  return { responses: results.map((result) => ({ path: COLLECTION, headers: {}, ...result })) };
}

async function dispatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method } = request;
  const url = request.url!;
  const account = Buffer.from(request.headers['x-account'] as string, 'hex');
  if (method === 'GET') return get(account, url, request, response);
  if (method === 'HEAD') return head(account, response);
  const id = () => idBytes(url.slice(COLLECTION.length + 1));
  if (method === 'DELETE') {
    const last_modified = await store.bury(account, id());
    return answer(response, 200, {}, { id: url.slice(COLLECTION.length + 1), last_modified, deleted: true });
  }
  if (method === 'PATCH') {
    const { title } = await readBody<Posted>(request);
    return answer(response, 200, {}, itemOf(await store.retitle(account, id(), title)));
  }
  if (url === '/v2/batch') return answer(response, 200, {}, await batch(account, await readBody(request)));
  const { status, body } = await create(account, await readBody<Posted>(request));
  answer(response, status, {}, body);
}

const server = createServer((request, response) => {
  if (request.url === '/__lbheartbeat__') return answer(response, 200, {}, {});
  dispatch(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500, { 'Content-Length': 0 }).end();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`listening on 127.0.0.1:${process.env.PORT}`));
