import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { basic, deviceArticles, fill, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld({ PAGE_SIZE: '40', BATCH_MAX_REQUESTS: '10' });

it('a first sync takes one request for each page and one more', async () => {
  const user = await world.bearer();
  await fill(world, user, 205);
  const { list, sent } = await openDevice(world.url, user);
  expect(await list.sync()).toMatchObject({ pulled: 205, requests: 7 });
  expect(sent.length).toBe(7);
  expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
});

it('an idle sync is one request, which is answered with 304, also after a restart', async () => {
  const user = await world.bearer();
  const storage = memoryStorage();
  const first = await openDevice(world.url, user, { storage });
  await first.list.sync();
  await first.list.add({ url: 'https://example.com/', title: 'T' });
  await first.list.sync();
  // Once the device has seen its own change come back, nothing is new.
  await first.list.sync();
  await first.list.close();
  const { list, sent } = await openDevice(world.url, user, { storage });
  expect(await list.sync()).toEqual({ pulled: 0, pushed: 0, conflicts: [], requests: 1 });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    expect.stringMatching(/^GET \/v2\/articles\?_since=\d+$/),
  ]);
  expect(sent[0]!.headers.get('If-Modified-Since')).toBe(/\d+$/.exec(sent[0]!.path)![0]);
});

describe.each(['Basic', 'Bearer'])('with %s authentication', (scheme) => {
  const user = () => (scheme === 'Basic' ? basic() : world.bearer());

  it.each([
    ['an addition', (_key: string) => ({ do: 'add' })],
    ['an edit', (_key: string) => ({ do: 'edit' })],
    ['a removal', (_key: string) => ({ do: 'remove' })],
  ])('%s takes two requests', async (name) => {
    const { list, sent } = await openDevice(world.url, await user());
    const { key } = await list.add({ url: 'https://example.com/', title: 'T' });
    await list.sync();
    sent.length = 0;
    if (name === 'an addition') await list.add({ url: 'https://example.com/2' });
    else if (name === 'an edit') await list.rename(key, 'New');
    else await list.remove(key);
    expect(await list.sync()).toMatchObject({ pushed: 1, requests: 2 });
    expect(sent.length).toBe(2);
  });

  it('the very first addition does, too', async () => {
    const { list } = await openDevice(world.url, await user());
    await list.add({ url: 'https://example.com/', title: 'T' });
    expect(await list.sync()).toMatchObject({ pushed: 1, requests: 2 });
  });
});

it('edits travel in batches of the size that the service takes', async () => {
  const user = await world.bearer();
  const { list, sent } = await openDevice(world.url, user);
  for (let n = 0; n < 25; n++) await list.add({ url: `https://example.com/${n}` });
  expect(await list.sync()).toMatchObject({ pushed: 25, requests: 5 });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v2',
    'POST /v2/batch',
    'POST /v2/batch',
    'POST /v2/batch',
    'GET /v2/articles?_sort=last_modified',
  ]);
  expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
});

it('a service that takes smaller batches than the device thinks gets smaller ones', async () => {
  const user = await world.bearer();
  const storage = memoryStorage();
  await storage.update([], () => new Map([['state', { service: { batchLimit: 64, waitSeconds: 0 } }]]));
  const { list, sent } = await openDevice(world.url, user, { storage });
  for (let n = 0; n < 30; n++) await list.add({ url: `https://example.com/${n}` });
  expect(await list.sync()).toMatchObject({ pushed: 30 });
  expect(sent.filter(({ path }) => path === '/v2/batch').length).toBeLessThan(9);
  expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
});

it('edits travel one by one where the credentials open no batch', async () => {
  const user = basic();
  for (const authorization of [user, () => user]) {
    const { list, sent } = await openDevice(world.url, authorization);
    for (let n = 0; n < 3; n++) await list.add({ url: `https://example.com/${n}` });
    await list.sync();
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
    // A function says only by being refused that it gives Basic credentials.
    expect(sent.filter(({ path }) => path === '/v2/batch').length).toBe(authorization === user ? 0 : 2);
  }
});

it('edits travel in batches again once the user has signed in again', async () => {
  let authorization = '';
  const { list, sent } = await openDevice(world.url, () => authorization);
  for (let n = 0; n < 3; n++) await list.add({ url: `https://example.com/${n}` });
  await expect(list.sync()).rejects.toMatchObject({ kind: 'auth', errno: 104 });
  authorization = await world.bearer();
  sent.length = 0;
  await list.sync();
  expect(sent.filter(({ path }) => path === '/v2/batch').length).toBe(1);
});

it('edits that are too large together travel apart', async () => {
  const user = await world.bearer();
  const { list } = await openDevice(world.url, user);
  for (let n = 0; n < 5; n++) await list.add({ url: `https://example.com/${n}`, excerpt: 'x'.repeat(900_000) });
  expect(await list.sync()).toMatchObject({ pushed: 5, conflicts: [] });
  expect((await serverArticles(world.url, user)).length).toBe(5);
});

it('an article that is too large on its own is refused and told, and the others are stored', async () => {
  const user = await world.bearer();
  const { list } = await openDevice(world.url, user);
  await list.add({ url: 'https://example.com/huge', excerpt: 'x'.repeat(2_200_000) });
  await list.add({ url: 'https://example.com/small' });
  const { conflicts } = await list.sync();
  expect(conflicts).toMatchObject([
    { kind: 'refused', url: 'https://example.com/huge', lost: { url: 'https://example.com/huge' }, errno: 113 },
  ]);
  expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
  expect(await list.count()).toBe(1);
});

it.each([
  'nonsense',
  '',
  '/reading-list',
  'list.example.com',
  'localhost:8000',
  'ftp://list.example.com',
  'https://',
  'https://list.example.com/?',
  'https://list.example.com/?user=me',
  'https://list.example.com/#top',
  'https://me:secret@list.example.com',
])('no client has the base URL "%s"', (baseUrl) => {
  expect(() => createClient({ baseUrl, authorization: 'x' })).toThrow(TypeError);
  expect(() => createClient({ baseUrl, authorization: 'x' })).toThrow('baseUrl: must be an http(s) URL without');
});

it.each([
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['https://list.example.com/v2/', 'https://list.example.com'],
  ['https://example.com/reading-list//', 'https://example.com/reading-list'],
])('the base URL %s is understood as %s', (baseUrl, understood) => {
  expect(createClient({ baseUrl, authorization: 'x' }).baseUrl).toBe(understood);
});
