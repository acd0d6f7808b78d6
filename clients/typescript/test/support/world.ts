import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type {} from '../../../../test/support/global-setup.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { ScriptedProvider } from '../../../../test/support/identity-provider.js';
import { type Service, startService } from '../../../../test/support/service.js';
import { startTcpProxy, type TcpProxy } from '../../../../test/support/servers/tcp-proxy.js';
import {
  type Conflict,
  createClient,
  openReadingList,
  type ReadingList,
  type ReadingListOptions,
} from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';

/** The real service in a process of its own, on the database of the running project, behind a proxy that can break. */
export interface World {
  database: TestDatabase;
  service: Service;
  proxy: TcpProxy;
  /** The service by way of the proxy. */
  url: string;
  provider: ScriptedProvider;
  /** The `Authorization` of a user with a bearer token. */
  bearer(user?: string): Promise<string>;
  close(): Promise<void>;
}

/** @param variables settings that differ from the defaults of these tests */
export async function startWorld(variables: Record<string, string> = {}): Promise<World> {
  const database = await createTestDatabase();
  const provider = await ScriptedProvider.start();
  const service = await startService({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    MIGRATE_ON_START: 'true',
    OAUTH_URI: provider.issuer,
    OAUTH_AUDIENCE: 'reading-list',
    BASIC_AUTH_ENABLED: 'true',
    BACKOFF: 'off',
    ...variables,
  });
  const proxy = await startTcpProxy(Number(new URL(service.url).port));
  return {
    database,
    service,
    proxy,
    url: `http://127.0.0.1:${proxy.port}`,
    provider,
    bearer: async (user = randomUUID()) => `Bearer ${await provider.sign({ sub: user })}`,
    close: async () => {
      await proxy.close();
      await service.stop();
      await provider.close();
      await database.drop();
    },
  };
}

/** Starts a world before the cases of the file that calls it; its devices are closed after each of them. */
export function useWorld(variables: Record<string, string> = {}): World {
  const world = {} as World;
  beforeAll(async () => void Object.assign(world, await startWorld(variables)));
  afterEach(closeDevices);
  afterAll(() => world.close?.());
  return world;
}

/** Has another program of the user store articles; their ids. */
export async function fill({ service }: World, authorization: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++)
    ids.push((await ask(service.url, authorization, 'POST', '/articles', fields(n))).id as string);
  return ids;
}

export const fields = (n: number) => ({ url: `https://example.com/${n}`, title: `Article ${n}`, added_by: 'other' });

/** The `Authorization` of a Basic user of its own. */
export const basic = (user: string = randomUUID()): string =>
  `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`;

/** A request as it was sent. */
export interface Sent {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

/** A reading list that keeps account of what it sends and what it tells. */
export interface Device {
  list: ReadingList;
  sent: Sent[];
  told: Conflict[];
}

const opened: ReadingList[] = [];

/** Closes every device that was opened. */
export async function closeDevices(): Promise<void> {
  await Promise.all(opened.splice(0).map((list) => list.close()));
}

/** Opens a device of a user; by default in memory. @param send what is between it and the service */
export async function openDevice(
  url: string,
  authorization: string | (() => string | Promise<string>),
  options: Partial<Omit<ReadingListOptions, 'client'>> = {},
  send: typeof globalThis.fetch = fetch,
): Promise<Device> {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: url,
    authorization,
    fetch: (input, init) => {
      const { pathname, search } = new URL(input as string);
      const body = typeof init?.body === 'string' ? init.body : '';
      sent.push({ method: init!.method!, path: pathname + search, headers: new Headers(init!.headers), body });
      return send(input, init);
    },
  });
  const list = await openReadingList({ client, storage: memoryStorage(), device: 'laptop', ...options });
  opened.push(list);
  const told: Conflict[] = [];
  list.on('conflict', (conflict) => told.push(conflict));
  return { list, sent, told };
}

/** What the server has, asked for without the library. */
export async function serverArticles(url: string, authorization: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let next: string | null = `${url}/v2/articles?_sort=url`; next;) {
    const response: Response = await fetch(next, { headers: { authorization } });
    if (response.status !== 200) throw new Error(`listing: ${response.status}`);
    items.push(...((await response.json()) as { items: Record<string, unknown>[] }).items);
    next = response.headers.get('Next-Page');
  }
  return items;
}

/** Sends one request to the service, as another program of the user would. */
export async function ask(
  url: string,
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${url}/v2${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** What a device lists, in the form in which the server lists it. */
export async function deviceArticles(list: ReadingList): Promise<Record<string, unknown>[]> {
  const articles = await list.list();
  return articles
    .map(({ key: _key, pending, ...article }) => (pending ? { ...article, pending } : article))
    .sort((a, b) => (a.url < b.url ? -1 : 1));
}
