import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../../src/storage/memory.js';
import type { Storage } from '../../src/storage/storage.js';
import { failing } from '../support/failing.js';
import { ask, basic, deviceArticles, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld();

const url = (name: string) => `https://example.com/${name}`;

/** A storage in which a tab does not hear of the changes of others. */
const deaf = (storage: Storage): Storage => ({ ...storage, watch: () => () => undefined });

describe('a tab that has not heard yet what another one did', () => {
  it('shows each article once, though the other one sent it without seeing it listed', async () => {
    const user = basic();
    const storage = memoryStorage();
    const pulls = { fail: true };
    const send = failing(({ method }) => (method === 'GET' && pulls.fail ? { status: 503, errno: 201 } : undefined));
    const one = await openDevice(world.url, user, { storage: deaf(storage) }, send);
    const two = await openDevice(world.url, user, { storage: deaf(storage) });
    const { key } = await one.list.add({ url: url('a'), title: 'A' });
    await expect(one.list.sync()).rejects.toMatchObject({ status: 503 });
    await two.list.sync();
    expect(await two.list.list()).toMatchObject([{ key, title: 'A', pending: false }]);
    expect(await deviceArticles(two.list)).toEqual(await serverArticles(world.url, user));
  });

  it('shows what the other one deleted no more once it syncs', async () => {
    const user = basic();
    const storage = memoryStorage();
    const one = await openDevice(world.url, user, { storage });
    const { key } = await one.list.add({ url: url('a'), title: 'A' });
    await one.list.sync();
    const two = await openDevice(world.url, user, { storage: deaf(storage) });
    await one.list.remove(key);
    await one.list.sync();
    await two.list.sync();
    expect(await two.list.list()).toEqual([]);
  });

  it('has the values of the other one after an edit of the same article', async () => {
    const storage = memoryStorage();
    const one = await openDevice(world.url, basic(), { storage });
    const { key } = await one.list.add({ url: url('a'), title: 'A' });
    const two = await openDevice(world.url, basic(), { storage: deaf(storage) });
    await one.list.rename(key, 'New');
    await expect(two.list.setReadPosition(key, 0)).resolves.toBeUndefined();
    expect(await two.list.get({ key })).toMatchObject({ title: 'New' });
  });

  it('adds again what the other one removed', async () => {
    const user = basic();
    const storage = memoryStorage();
    const one = await openDevice(world.url, user, { storage });
    const { key } = await one.list.add({ url: url('a'), title: 'A' });
    const two = await openDevice(world.url, user, { storage: deaf(storage) });
    await one.list.remove(key);
    const added = await two.list.add({ url: url('a'), title: 'Again' });
    expect(added).toMatchObject({ title: 'Again' });
    await two.list.sync();
    expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'Again' }]);
  });

  it('does not read everything again when no other tab has synced', async () => {
    const storage = memoryStorage();
    let loads = 0;
    const counting: Storage = { ...storage, load: (keys) => (keys || loads++, storage.load(keys)) };
    const { list } = await openDevice(world.url, basic(), { storage: counting });
    await list.add({ url: url('a') });
    for (let n = 0; n < 3; n++) await list.sync();
    expect(loads).toBe(1);
  });
});

it('a conflict that happens again is told again in every tab', async () => {
  const user = basic();
  const storage = memoryStorage();
  const [one, two] = [await openDevice(world.url, user, { storage }), await openDevice(world.url, user, { storage })];
  const { key } = await one.list.add({ url: url('a'), title: 'A' });
  await one.list.sync();
  for (const title of ['Theirs', 'Theirs again']) {
    await ask(world.url, user, 'PATCH', `/articles/${(await one.list.get({ key }))!.id}`, { title });
    await one.list.rename(key, 'Mine');
    expect((await two.list.sync()).conflicts).toMatchObject([{ kind: 'merged', lost: { title: 'Mine' } }]);
    await two.list.sync();
  }
  expect([one.told.length, two.told.length]).toEqual([2, 2]);
});

it('two tabs without locks may send the same article', async () => {
  const user = basic();
  // As in a page that was not served securely.
  const storage: Storage = { ...memoryStorage(), lock: (_name, work) => work() };
  const [one, two] = [await openDevice(world.url, user, { storage }), await openDevice(world.url, user, { storage })];
  await one.list.add({ url: url('a'), title: 'A' });
  await one.list.add({ url: url('b'), title: 'B' });
  await Promise.all([one.list.sync(), two.list.sync()]);
  for (const { list } of [one, two]) await list.sync();
  const server = await serverArticles(world.url, user);
  expect(server.length).toBe(2);
  for (const { list } of [one, two]) expect(await deviceArticles(list)).toEqual(server);
});

it('an attempt to send that fails is no change in another tab, which would try again at once', async () => {
  const user = basic();
  const storage = memoryStorage();
  const send = failing(({ method }) => (method === 'GET' ? undefined : { status: 429, errno: 117 }));
  const one = await openDevice(world.url, user, { storage });
  const removed = await one.list.add({ url: url('a'), title: 'A' });
  const renamed = await one.list.add({ url: url('b'), title: 'B' });
  await one.list.sync();
  const two = await openDevice(world.url, user, { storage }, send);
  const three = await openDevice(world.url, user, { storage });
  const heard: string[][] = [];
  three.list.on('change', ({ keys }) => heard.push(keys));
  await two.list.remove(removed.key);
  await two.list.rename(renamed.key, 'New');
  await expect.poll(() => heard).toEqual([[removed.key], [renamed.key]]);
  await expect(two.list.sync()).rejects.toMatchObject({ status: 429 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(heard.length).toBe(2);
});

it('a list that is closed does not wait for the sync of another one', async () => {
  const user = basic();
  const storage = memoryStorage();
  let release = () => {};
  const slow: typeof fetch = async (input, init) => {
    await new Promise<void>((resolve) => (release = resolve));
    return fetch(input, init);
  };
  const one = await openDevice(world.url, user, { storage }, slow);
  const two = await openDevice(world.url, user, { storage });
  const syncing = one.list.sync();
  await expect.poll(() => one.sent.length).toBe(1);
  const waiting = two.list.sync().catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const isClosed = await Promise.race([
    two.list.close().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 10_000)),
  ]);
  expect(isClosed).toBe(true);
  expect(await waiting).toMatchObject({ name: 'ReadingListError' });
  release();
  const poll = setInterval(() => release(), 5);
  await syncing;
  clearInterval(poll);
});

describe('what was removed and added again', () => {
  it.each([
    ['after it was synced', true],
    ['before', false],
  ])('is one article once the removal is undone, %s', async (_, isSynced) => {
    const user = basic();
    const { list, told } = await openDevice(world.url, user);
    const first = await list.add({ url: url('a'), title: 'One' });
    if (isSynced) await list.sync();
    await list.remove(first.key);
    const second = await list.add({ url: url('a'), title: 'Two', excerpt: 'Text', favorite: true });
    await list.setReadPosition(second.key, 5);
    const undone = await list.undoRemove();
    expect(undone).toMatchObject({ key: first.key, title: 'One', favorite: true, excerpt: 'Text', read_position: 5 });
    expect(await list.list()).toEqual([undone]);
    await list.archive(second.key);
    const { conflicts } = await list.sync();
    expect(conflicts).toMatchObject([{ kind: 'merged', lost: { title: 'Two' } }]);
    expect(told).toEqual(conflicts);
    const server = await serverArticles(world.url, user);
    expect(server).toMatchObject([{ title: 'One', favorite: true, archived: true, excerpt: 'Text', read_position: 5 }]);
    expect(await deviceArticles(list)).toEqual(server);
  });
});

it('tabs without locks that both list everything delete nothing of each other', async () => {
  const user = basic();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names)
    await ask(world.url, user, 'POST', '/articles', { url: url(name), title: name, added_by: 'phone' });
  const storage: Storage = { ...memoryStorage(), lock: (_, work) => work() };
  const pages = { one: 0, two: 0 };
  let mustStartOver = false;
  const until = (condition: () => boolean) => expect.poll(condition, { interval: 2 }).toBe(true);
  /** Lists an article a page; after a purge, a delta is told to start over. */
  const tab = async (name: keyof typeof pages, beforeDelta: () => boolean, beforeThirdPage: () => boolean) =>
    (
      await openDevice(world.url, user, { storage }, async (input, init) => {
        const target = new URL(input as string);
        const headers = new Headers(init!.headers);
        const isDelta = mustStartOver && target.searchParams.has('_since');
        if (isDelta) {
          await until(beforeDelta);
          headers.delete('If-Modified-Since');
        } else if (target.searchParams.has('_sort')) {
          target.searchParams.set('_limit', '1');
          if (mustStartOver && ++pages[name] === 3) await until(beforeThirdPage);
        }
        const response = await fetch(target, { ...init, headers });
        if (!isDelta) return response;
        const told = new Headers(response.headers);
        told.set('Start-Over', 'true');
        return new Response(await response.text(), { headers: told });
      })
    ).list;
  const one = await tab(
    'one',
    () => true,
    () => pages.two >= 3,
  );
  const two = await tab(
    'two',
    () => pages.one >= 2,
    () => true,
  );
  await one.sync();
  await two.sync();
  mustStartOver = true;
  await Promise.all([one.sync(), two.sync()]);
  mustStartOver = false;
  await one.sync();
  await two.sync();
  expect((await one.list()).map(({ title }) => title).sort()).toEqual(names);
  expect((await two.list()).map(({ title }) => title).sort()).toEqual(names);
});
