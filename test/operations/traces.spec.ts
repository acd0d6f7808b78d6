import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedProvider } from '../support/identity-provider.js';
import { startService } from '../support/service.js';
import type { TestDatabase } from '../support/database.js';
import { mariaDb } from './backends.js';

/** What a receiver gets, as far as the tests look at it. */
interface Received {
  resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[];
}

/** A span as OTLP over HTTP has it in JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

let receiver: Server;
let endpoint: string;
let provider: ScriptedProvider;
let database: TestDatabase;
const spans: Span[] = [];
const paths = new Set<string>();
let services: string[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    paths.add(request.url!);
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as Received).resourceSpans) {
        services.push(resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue!);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  [provider, database] = await Promise.all([ScriptedProvider.start(), mariaDb()]);
});

afterAll(async () => {
  receiver.close();
  await Promise.all([provider.close(), database.drop()]);
});

const secret = 'https://secret.example/';

/** How long the service took to end. */
let stopMs: number;

/** Creates an article, alone and in a batch, and stops the service, which sends what it has. */
async function createTwice(variables: Record<string, string>): Promise<string> {
  spans.length = 0;
  services = [];
  const settings = { DATABASE_URL: database.url, MIGRATE_ON_START: 'true', OAUTH_URI: provider.issuer };
  const service = await startService({ ...settings, ...variables });
  const token = await provider.sign();
  const post = (path: string, body: unknown) =>
    fetch(`${service.url}/v2${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, traceparent: PARENT, 'x-request-id': 'traced' },
      body: JSON.stringify(body),
    });
  const unique = randomUUID();
  const article = (at: number) => ({ url: `${secret}${unique}/${at}`, title: 'secret title', added_by: 'x' });
  expect((await post('/articles', article(1))).status).toBe(201);
  const batch = { requests: [{ method: 'POST', path: '/articles', body: article(2) }] };
  expect((await post('/batch', batch)).status).toBe(200);
  const start = performance.now();
  expect(await service.stop()).toBe(0);
  stopMs = performance.now() - start;
  return service.output();
}

/** The spans below another one, in the order in which they began to be sent. */
const below = (parent: Span): Span[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).flatMap((span) => [span, ...below(span)]);
const attributeOf = (span: Span, name: string) => span.attributes.find(({ key }) => key === name)?.value;

it('a receiver gets a trace of a create with its SQL statements, below the span of the caller', async () => {
  await createTwice({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  expect([...paths]).toEqual(['/v1/traces']);
  expect(services[0]).toBe('reading-list');
  const [create] = spans.filter(({ name }) => name === 'POST /v2/articles');
  expect(create).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT.split('-')[2], kind: 2 });
  expect(attributeOf(create!, 'http.route')).toEqual({ stringValue: '/v2/articles' });
  expect(attributeOf(create!, 'http.response.status_code')).toEqual({ intValue: 201 });
  expect(attributeOf(create!, 'reading_list.request_id')).toEqual({ stringValue: 'traced' });
  // Who is deprovisioned is read every few seconds, and a connection gets its limit, by the request that comes then.
  const statements = below(create!).filter((span) => {
    const sql = attributeOf(span, 'db.query.text');
    return sql && !/FROM deprovisioned|^SET SESSION/.test(sql.stringValue!);
  });
  // The user is new: the account is looked for and inserted, before the clock is advanced and the article inserted.
  const names = ['START', 'UPDATE', 'SELECT', 'INSERT', 'UPDATE', 'INSERT', 'COMMIT'];
  expect(statements.map(({ name }) => name)).toEqual(names);
  expect(attributeOf(statements.at(-2)!, 'db.query.text')!.stringValue).toMatch(/^INSERT INTO articles .*VALUES \(\?/);
  expect(below(create!).map(({ name }) => name)).toContain('ArticlesController.create');
  const urls = below(create!).map((span) => attributeOf(span, 'url.full')?.stringValue);
  expect(urls).toContain(`${provider.issuer}/jwks`);
});

it('no span has a value of a request, and the entries of a batch are below the batch', async () => {
  await createTwice({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: 'another-name' });
  expect(services[0]).toBe('another-name');
  expect(JSON.stringify(spans)).not.toContain('secret');
  const batch = spans.find(({ name }) => name === 'POST /v2/batch')!;
  expect(below(batch).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['BatchController.run', 'ArticlesController.create', 'COMMIT']),
  );
});

it.each<[string, Record<string, string>]>([
  ['no receiver is named', {}],
  ['OTEL_SDK_DISABLED is true', { OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER is none', { OTEL_TRACES_EXPORTER: 'none' }],
])('nothing is sent when %s', async (_condition, variables) => {
  const named: Record<string, string> =
    Object.keys(variables).length > 0 ? { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } : {};
  await createTwice({ ...named, ...variables });
  expect(spans).toEqual([]);
});

it('a receiver that is away disturbs nothing', async () => {
  await createTwice({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(stopMs).toBeLessThan(10_000);
});
