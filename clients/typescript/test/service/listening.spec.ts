import { expect, it } from 'vitest';
import { createClient, openReadingList } from '../../src/index.js';
import { Mirror } from '../../src/replica/mirror.js';
import { type Prefetched, Synchronizer } from '../../src/replica/synchronizer.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { basic, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld();

it('a function that is registered twice is called twice, and each registration ends by itself', async () => {
  const { list } = await openDevice(world.url, basic());
  const heard: string[] = [];
  const listener = (status: string) => heard.push(status);
  const [stopOne, stopTwo] = [list.on('status', listener), list.on('status', listener)];
  await list.sync();
  expect(heard).toEqual(['syncing', 'syncing', 'idle', 'idle']);
  stopOne();
  stopOne();
  await list.sync();
  expect(heard.slice(4)).toEqual(['syncing', 'idle']);
  stopTwo();
  await list.sync();
  expect(heard.length).toBe(6);
});

it('a change is told when there is nothing left to send, also of a removal', async () => {
  const { list } = await openDevice(world.url, basic());
  const { key } = await list.add({ url: 'https://example.com/' });
  await list.sync();
  await list.remove(key);
  const heard: Promise<number>[] = [];
  list.on('change', () => heard.push(list.countPending()));
  await list.sync();
  expect(await heard.at(-1)).toBe(0);
});

it('the name of the device is read for each change', async () => {
  const user = basic();
  const client = createClient({ baseUrl: world.url, authorization: user });
  let device = 'one';
  const list = await openReadingList({
    client,
    storage: memoryStorage(),
    get device() {
      return device;
    },
  });
  const { key } = await list.add({ url: 'https://example.com/' });
  device = ' two ';
  await list.markRead(key);
  await list.sync();
  expect(await serverArticles(world.url, user)).toMatchObject([{ added_by: 'one', marked_read_by: 'two' }]);
  device = ' ';
  await expect(list.markUnread(key)).rejects.toMatchObject({ kind: 'refused' });
  await list.close();
});

it('a sync that a listener begins because one has begun is the same sync', async () => {
  const { list, sent } = await openDevice(world.url, basic());
  await list.sync();
  sent.length = 0;
  const begun: Promise<unknown>[] = [];
  list.on('status', (status) => status === 'syncing' && begun.push(list.sync()));
  const result = await list.sync();
  expect(await Promise.all(begun)).toEqual([result]);
  expect(sent.length).toBe(1);
});

it.each([0, -1, NaN])('an interval of %s seconds does not make automatic syncing endless', async (intervalSeconds) => {
  const { list, sent } = await openDevice(world.url, basic(), {}, async (input, init) => {
    const headers = new Headers(init!.headers);
    // A service that does not wait.
    headers.delete('Prefer');
    return fetch(input, { ...init, headers });
  });
  list.start({ intervalSeconds });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(sent.length).toBeLessThan(8);
  await expect.poll(() => sent.length).toBeGreaterThan(1);
  list.stop();
});

it('polls are not repeated without pause where something on the way drops their condition', async () => {
  const { list, sent } = await openDevice(world.url, basic(), {}, async (input, init) => {
    const headers = new Headers(init!.headers);
    headers.delete('If-Modified-Since');
    return fetch(input, { ...init, headers });
  });
  list.start({ intervalSeconds: 60 });
  await expect.poll(() => sent.length).toBeGreaterThan(2);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(sent.length).toBeLessThan(10);
  list.stop();
});

it('a page that a waiting poll fetched brings nothing back that was removed since', async () => {
  const user = basic();
  const storage = memoryStorage();
  let inFlight = () => Promise.resolve();
  const { list } = await openDevice(world.url, user, { storage }, async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') await inFlight();
    return response;
  });
  const { key } = await list.add({ url: 'https://example.com/', title: 'T' });
  await list.sync();
  // Sent after the pull, so that the next poll finds it.
  await list.archive(key);
  inFlight = async () => {
    inFlight = () => Promise.resolve();
    await list.rename(key, 'Renamed');
  };
  await list.sync();
  const mirror = new Mirror(storage, () => undefined);
  await mirror.open();
  const client = createClient({ baseUrl: world.url, authorization: user });
  const synchronizer = new Synchronizer(mirror, client, storage);
  const prefetched = await synchronizer.waitForChange(1, new AbortController().signal);
  expect(prefetched).toMatchObject({ page: { items: [{ title: 'Renamed' }] } });
  await list.remove(key);
  await synchronizer.sync(prefetched as Prefetched);
  expect(await list.list()).toEqual([]);
});
