import { beforeAll, describe, expect, it } from 'vitest';
import { startTcpProxy } from '../../../../test/support/servers/tcp-proxy.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { failing, type Failure, type Request } from '../support/failing.js';
import {
  ask,
  basic,
  type Device,
  deviceArticles,
  fields,
  openDevice,
  serverArticles,
  useWorld,
} from '../support/world.js';

const world = useWorld({ BATCH_MAX_REQUESTS: '5' });

const url = (name: string | number) => `https://example.com/mine/${name}`;
const addTo = async ({ list }: Device, count: number) => {
  for (let n = 0; n < count; n++) await list.add({ url: url(n), title: String(n) });
};
const pendingOf = async ({ list }: Device) =>
  (await list.list({ order: 'oldest' })).filter(({ pending }) => pending).map((article) => article.url);

describe.each(['Basic', 'Bearer'])('with %s authentication', (scheme) => {
  const authorize = () => (scheme === 'Basic' ? basic() : world.bearer());
  const open = async (failureOf: (request: Request) => Failure | undefined) => {
    const user = await authorize();
    const network = { failureOf };
    const send = failing((request) => network.failureOf(request));
    return { user, network, device: await openDevice(world.url, user, {}, send) };
  };

  it.each([
    [
      { status: 500, errno: 999 },
      { kind: 'busy', status: 500 },
    ],
    [
      { status: 503, errno: 201, headers: { 'Retry-After': '7' } },
      { kind: 'busy', status: 503, retryAfterSeconds: 7 },
    ],
    [{ status: 418 }, { kind: 'protocol', status: 418 }],
  ])('a change that always fails with %j stops neither the others nor the pull', async (failure, expected) => {
    const { user, network, device } = await open(({ body }) => (body?.url === url(3) ? failure : undefined));
    await ask(world.url, user, 'POST', '/articles', fields(1));
    await addTo(device, 12);
    for (let round = 0; round < 2; round++) {
      await expect(device.list.sync()).rejects.toMatchObject(expected);
      expect(device.list.status).toBe('idle');
      expect(await pendingOf(device)).toEqual([url(3)]);
      expect((await serverArticles(world.url, user)).length).toBe(12);
      expect(await device.list.count()).toBe(13);
    }
    network.failureOf = () => undefined;
    expect(await device.list.sync()).toMatchObject({ pushed: 1, conflicts: [] });
    expect(await deviceArticles(device.list)).toEqual(await serverArticles(world.url, user));
  });

  it('a change whose request is always cut off stops neither the others nor the pull', async () => {
    const user = await authorize();
    const device = await openDevice(world.url, user, {}, (input, init) =>
      (init?.body as string | undefined)?.includes(url(3))
        ? Promise.reject(new TypeError('reset'))
        : fetch(input, init),
    );
    await ask(world.url, user, 'POST', '/articles', fields(1));
    await addTo(device, 12);
    for (let round = 0; round < 2; round++) {
      await expect(device.list.sync()).rejects.toMatchObject({ kind: 'network' });
      expect(device.list.status).toBe('idle');
      expect(await pendingOf(device)).toEqual([url(3)]);
      expect((await serverArticles(world.url, user)).length).toBe(12);
      expect(await device.list.count()).toBe(13);
    }
  });

  it('many that always fail hold up the others only for a few syncs', async () => {
    const { user, device } = await open(({ body }) =>
      Number(body?.title) < 9 ? { status: 500, errno: 999 } : undefined,
    );
    await ask(world.url, user, 'POST', '/articles', fields(1));
    await addTo(device, 12);
    for (let round = 0; round < 4; round++) await expect(device.list.sync()).rejects.toMatchObject({ status: 500 });
    expect(await pendingOf(device)).toEqual(Array.from({ length: 9 }, (_, n) => url(n)));
    expect(await device.list.count()).toBe(13);
  });

  it('one that failed once is sent in its turn again later', async () => {
    const { network, device } = await open(() => ({ status: 500, errno: 999 }));
    const { list, sent } = device;
    const { key } = await list.add({ url: url('a'), title: 'A' });
    await expect(list.sync()).rejects.toMatchObject({ status: 500 });
    network.failureOf = () => undefined;
    await list.sync();
    await list.remove(key);
    await list.add({ url: url('b'), title: 'B' });
    sent.length = 0;
    await list.sync();
    const bodies = sent.map(({ method, body }) => `${method} ${body}`).join();
    expect(bodies.indexOf('DELETE')).toBeLessThan(bodies.indexOf(url('b')));
  });

  it('a service that is down is not sent everything that is pending', async () => {
    const { network, device } = await open(() => undefined);
    await device.list.sync();
    await addTo(device, 40);
    network.failureOf = () => ({ status: 503, errno: 201 });
    device.sent.length = 0;
    await expect(device.list.sync()).rejects.toMatchObject({ status: 503 });
    expect(device.sent.length).toBeLessThanOrEqual(6);
    network.failureOf = () => undefined;
    expect(await device.list.sync()).toMatchObject({ pushed: 40 });
  });

  it('a service that has had too many requests is sent no more until the next sync', async () => {
    const { user, network, device } = await open(() => undefined);
    await device.list.sync();
    await addTo(device, 12);
    network.failureOf = ({ body }) =>
      Number(body?.title) > 6 ? { status: 429, errno: 117, headers: { 'Retry-After': '9' } } : undefined;
    device.sent.length = 0;
    await expect(device.list.sync()).rejects.toMatchObject({ kind: 'busy', status: 429, retryAfterSeconds: 9 });
    expect(await pendingOf(device)).toEqual(Array.from({ length: 5 }, (_, n) => url(n + 7)));
    expect(device.sent.at(-1)!.body).toContain(url(7));
    expect(device.sent.filter(({ body }) => body.includes(url(7))).length).toBe(1);
    expect(device.list.status).toBe('idle');
    network.failureOf = () => undefined;
    expect(await device.list.sync()).toMatchObject({ pushed: 5, conflicts: [] });
    expect(await deviceArticles(device.list)).toEqual(await serverArticles(world.url, user));
  });

  it('what was added again is kept, though the first addition was removed while in doubt', async () => {
    const user = await authorize();
    let isLost = true;
    const device = await openDevice(world.url, user, {}, async (input, init) => {
      const response = await fetch(input, init);
      if (isLost) throw new TypeError('cut');
      return response;
    });
    const { key } = await device.list.add({ url: url('again'), title: 'Old' });
    await expect(device.list.sync()).rejects.toMatchObject({ kind: 'network' });
    isLost = false;
    await device.list.remove(key);
    await device.list.add({ url: url('other'), title: 'Other' });
    await device.list.add({ url: url('again'), title: 'New' });
    expect(await device.list.sync()).toMatchObject({ conflicts: [] });
    const server = await serverArticles(world.url, user);
    expect(server).toMatchObject([{ title: 'New' }, { title: 'Other' }]);
    expect(await deviceArticles(device.list)).toEqual(server);
  });

  it('what was added again takes over nothing of the first addition, though that is in doubt once more', async () => {
    const user = await authorize();
    let cut: 'nothing' | 'responses' | 'additions' = 'responses';
    const device = await openDevice(world.url, user, {}, async (input, init) => {
      if (cut === 'additions' && init?.method === 'POST') throw new TypeError('cut');
      const response = await fetch(input, init);
      if (cut === 'responses') throw new TypeError('cut');
      return response;
    });
    const { key } = await device.list.add({ url: url('again'), title: 'Old' });
    await expect(device.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await device.list.remove(key);
    const added = await device.list.add({ url: url('again'), title: 'New' });
    cut = 'additions';
    await expect(device.list.sync()).rejects.toMatchObject({ kind: 'network' });
    expect(await device.list.list()).toMatchObject([{ key: added.key, title: 'New' }]);
    cut = 'nothing';
    expect(await device.list.sync()).toMatchObject({ conflicts: [] });
    expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'New' }]);
    expect(await deviceArticles(device.list)).toEqual(await serverArticles(world.url, user));
  });

  it('a deletion that fails does not let the addition of the same URL be lost', async () => {
    const { user, network, device } = await open(() => undefined);
    const { key } = await device.list.add({ url: url('again'), title: 'Old' });
    await device.list.sync();
    await device.list.remove(key);
    await device.list.add({ url: url('again'), title: 'New' });
    network.failureOf = ({ method }) => (method === 'DELETE' ? { status: 500, errno: 999 } : undefined);
    device.sent.length = 0;
    await expect(device.list.sync()).rejects.toMatchObject({ status: 500 });
    expect(device.sent.length).toBeLessThan(10);
    network.failureOf = () => undefined;
    await device.list.sync();
    expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'New' }]);
    expect(await deviceArticles(device.list)).toEqual(await serverArticles(world.url, user));
  });
});

it('what something on the way blocks does not hold up what is in the same batch', async () => {
  const user = await world.bearer();
  const device = await openDevice(world.url, user, {}, (input, init) =>
    (init?.body as string | undefined)?.includes('UNION SELECT')
      ? Promise.resolve(new Response('<html>Blocked', { status: 403, headers: { 'Content-Type': 'text/html' } }))
      : fetch(input, init),
  );
  for (const [n, title] of ['A', 'UNION SELECT', 'C'].entries()) await device.list.add({ url: url(n), title });
  for (let round = 0; round < 2; round++) {
    await expect(device.list.sync()).rejects.toMatchObject({ kind: 'protocol', status: 403 });
    expect(await pendingOf(device)).toEqual([url(1)]);
  }
  expect((await serverArticles(world.url, user)).map(({ title }) => title)).toEqual(['A', 'C']);
});

it('what was removed stays removed, though only the first part of its batch was accepted', async () => {
  const user = await world.bearer();
  const storage = memoryStorage();
  await storage.update([], () => new Map([['state', { service: { batchLimit: 25, waitSeconds: 0 } }]]));
  let accepted = 0;
  const device = await openDevice(world.url, user, { storage }, async (input, init) => {
    if (accepted === 1) return Response.json({ code: 429, errno: 117, error: 'E', message: 'no' }, { status: 429 });
    const response = await fetch(input, init);
    if (response.status === 200) accepted++;
    return response;
  });
  await addTo(device, 12);
  await expect(device.list.sync()).rejects.toMatchObject({ status: 429 });
  expect((await serverArticles(world.url, user)).length).toBe(3);
  accepted++;
  for (const { key } of await device.list.list()) await device.list.remove(key);
  for (let round = 0; round < 2; round++) await device.list.sync();
  expect(await device.list.list()).toEqual([]);
  expect(await serverArticles(world.url, user)).toEqual([]);
});

it('a proxy that drops queries, so that each page is the first one, does not make a sync endless', async () => {
  const user = await world.bearer();
  for (let n = 0; n < 101; n++) await ask(world.url, user, 'POST', '/articles', fields(n));
  const { list, sent } = await openDevice(world.url, user, {}, (input, init) =>
    fetch((input as string).replace(/\?.*/, ''), init),
  );
  await expect(list.sync()).rejects.toMatchObject({ kind: 'protocol' });
  expect(sent.length).toBeLessThan(5);
});

it('automatic syncing waits as long as the responses in a batch say', async () => {
  const send = failing(({ method }) =>
    method === 'POST' ? { status: 503, errno: 201, headers: { 'Retry-After': '3' } } : undefined,
  );
  const times: number[] = [];
  const device = await openDevice(world.url, await world.bearer(), {}, (input, init) => {
    if (init?.method === 'POST') times.push(Date.now());
    return send(input, init);
  });
  await addTo(device, 2);
  device.list.start({ intervalSeconds: 1 });
  await expect.poll(() => times.length, { timeout: 10_000 }).toBe(2);
  expect(times[1]! - times[0]!).toBeGreaterThan(2_800);
});

describe('a removal that was not sent can be undone', () => {
  const removed = async (at: string, authorization?: () => Promise<string>) => {
    const user = basic();
    const storage = memoryStorage();
    const { list } = await openDevice(world.url, user, { storage });
    const { key } = await list.add({ url: url('removed') });
    await list.sync();
    await list.close();
    const later = await openDevice(at, authorization ?? user, { storage });
    await later.list.remove(key);
    await expect(later.list.sync()).rejects.toMatchObject({ kind: 'network', isUnserved: true });
    return { user, key, later };
  };

  let closedUrl: string;
  beforeAll(async () => {
    const proxy = await startTcpProxy(1);
    closedUrl = `http://127.0.0.1:${proxy.port}`;
    await proxy.close();
  });
  it.each<[string, () => [string, (() => Promise<string>)?]]>([
    ['when nothing listens', () => [closedUrl]],
    ['when the host is not found', () => ['http://nowhere.invalid']],
    ['without credentials', () => [world.url, () => Promise.reject(new Error('offline'))]],
  ])('%s', async (_, how) => {
    const { key, later } = await removed(...how());
    expect(await later.list.undoRemove()).toMatchObject({ key, pending: false });
  });

  it('also of an article that was never sent, until a sync is complete', async () => {
    const storage = memoryStorage();
    const away = await openDevice(closedUrl, basic(), { storage });
    const { key } = await away.list.add({ url: url('new') });
    await away.list.remove(key);
    await expect(away.list.sync()).rejects.toMatchObject({ kind: 'network' });
    expect(await away.list.undoRemove()).toMatchObject({ key });
    await away.list.remove(key);
    await away.list.close();
    const { list, sent } = await openDevice(world.url, basic(), { storage });
    await list.sync();
    expect([await list.undoRemove(), await list.countPending()]).toEqual([undefined, 0]);
    expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('but not instead of a later one that the service may have got', async () => {
    const failures: Record<string, Failure> = {};
    const user = basic();
    const send = failing(({ method, path }) => (method === 'DELETE' ? failures[path] : undefined));
    const { list } = await openDevice(world.url, user, {}, send);
    const [one, two] = [await list.add({ url: url('one') }), await list.add({ url: url('two') })];
    await list.sync();
    const pathOf = async ({ key }: { key: string }) => `/articles/${(await list.get({ key }))!.id}`;
    failures[await pathOf(one)] = { status: 408, errno: 999 };
    failures[await pathOf(two)] = { status: 503, errno: 201 };
    await list.remove(one.key);
    await list.remove(two.key);
    await expect(list.sync()).rejects.toMatchObject({ kind: 'busy' });
    expect(await list.undoRemove()).toBeUndefined();
    for (const path of Object.keys(failures)) delete failures[path];
    await list.sync();
    expect(await serverArticles(world.url, user)).toEqual([]);
  });

  it('but not instead of a later one that is complete', async () => {
    const user = basic();
    const failures: Record<string, Failure> = {};
    const send = failing(({ method, path }) => (method === 'DELETE' ? failures[path] : undefined));
    const { list } = await openDevice(world.url, user, {}, send);
    const [one, two] = [await list.add({ url: url('one') }), await list.add({ url: url('two') })];
    await list.sync();
    failures[`/articles/${(await list.get(one))!.id}`] = { status: 408, errno: 999 };
    await list.remove(one.key);
    await list.remove(two.key);
    await expect(list.sync()).rejects.toMatchObject({ kind: 'busy' });
    expect(await list.undoRemove()).toBeUndefined();
    const three = await list.add({ url: url('three') });
    await list.remove(three.key);
    expect(await list.undoRemove()).toMatchObject({ key: three.key });
    expect(await list.undoRemove()).toBeUndefined();
  });

  it('but not when the service may have got it', async () => {
    const { list } = await openDevice(world.url, basic());
    const { key } = await list.add({ url: url('removed') });
    await list.sync();
    await list.remove(key);
    const cut = world.proxy.cutAfterRequest('DELETE /v2/articles/');
    await expect(list.sync()).rejects.toMatchObject({ kind: 'network', isUnserved: false });
    await cut;
    expect(await list.undoRemove()).toBeUndefined();
  });
});
