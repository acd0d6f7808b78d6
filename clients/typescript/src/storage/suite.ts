import type { Storage } from './storage.js';

/** A test of a storage, for any test runner: `for (const { name, run } of storageTests(maker)) it(name, run)`. */
export interface StorageTest {
  name: string;
  run: () => Promise<void>;
}

/** How the suite creates storages. */
export interface StorageMaker {
  /** An empty storage. */
  create(): Promise<Storage> | Storage;
  /** Opens the same data after `storage` was closed, like a new process or page. */
  reopen(storage: Storage): Promise<Storage> | Storage;
}

type Test = (storage: Storage, maker: StorageMaker) => Promise<void>;

const put = (storage: Storage, values: Record<string, unknown>) =>
  storage.update([], () => new Map(Object.entries(values)));

const content = async (storage: Storage) =>
  Object.fromEntries((await storage.load()).sort(([a], [b]) => (a < b ? -1 : 1)));

const TESTS: Record<string, Test> = {
  'is empty at first': async (storage) => {
    same(await storage.load(), []);
    same(await storage.load(['a']), []);
  },
  'keeps every value that JSON has': async (storage) => {
    const values = {
      text: 'ä\u{1F600}\n',
      number: 1.5,
      yes: true,
      nothing: null,
      list: [1, [2]],
      mapping: { a: { b: 'c' } },
    };
    await put(storage, values);
    same(await content(storage), values);
  },
  'loads the requested keys that exist, or everything': async (storage) => {
    await put(storage, { a: 1, b: 2, c: 3 });
    same(
      new Map(await storage.load(['c', 'x', 'a'])),
      new Map([
        ['a', 1],
        ['c', 3],
      ]),
    );
    same(await content(storage), { a: 1, b: 2, c: 3 });
  },
  'passes an update the values of its keys, and no others': async (storage) => {
    await put(storage, { a: 1, b: 2 });
    let shown: Map<string, unknown> | undefined;
    await storage.update(['a', 'x'], (current) => ((shown = current), new Map<string, never>()));
    same(shown, new Map([['a', 1]]));
  },
  'replaces and deletes': async (storage) => {
    await put(storage, { a: 1, b: 2, c: 3 });
    await storage.update(
      ['a'],
      () =>
        new Map<string, unknown>([
          ['a', 'new'],
          ['b', undefined],
          ['x', undefined],
        ]),
    );
    same(await content(storage), { a: 'new', c: 3 });
  },
  'stores nothing if the function of an update throws, and rejects with its error': async (storage) => {
    await put(storage, { a: 1 });
    const error = new Error('on purpose');
    const failed = await storage
      .update(['a'], () => {
        throw error;
      })
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    same(failed === error, true);
    same(await content(storage), { a: 1 });
    await put(storage, { a: 2 });
    same(await content(storage), { a: 2 });
  },
  'runs updates one after the other, so that none is lost': async (storage) => {
    const count = (current: Map<string, unknown>) =>
      new Map([['n', ((current.get('n') as number | undefined) ?? 0) + 1]]);
    await Promise.all(Array.from({ length: 50 }, () => storage.update(['n'], count)));
    same(await content(storage), { n: 50 });
  },
  'keeps its values when it is closed and reopened': async (storage, maker) => {
    await put(storage, { a: 1, b: { c: [null] } });
    await storage.close();
    const reopened = await maker.reopen(storage);
    same(await content(reopened), { a: 1, b: { c: [null] } });
    await reopened.close();
  },
  'can be used again after it was closed': async (storage) => {
    await put(storage, { a: 1 });
    await storage.close();
    same(await content(storage), { a: 1 });
  },
  'stores thousands of values at once': async (storage) => {
    const values = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [`key ${n}`, { n, text: 'x'.repeat(100) }]),
    );
    await put(storage, values);
    same((await storage.load()).length, 3000);
    same(await storage.load(['key 2999']), [['key 2999', values['key 2999']]]);
  },
  'runs one holder of a lock after the other, even if one fails': async (storage) => {
    const events: string[] = [];
    const hold = (name: string, fails = false) =>
      storage.lock('lock', async () => {
        events.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        events.push(`${name} out`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([hold('a'), hold('b', true), hold('c')]);
    same(events, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  },
  'stops waiting for a lock when aborted, without affecting others': async (storage) => {
    const abort = new AbortController();
    let release = () => {};
    const held = storage.lock('lock', () => new Promise<void>((resolve) => (release = resolve)));
    const waiting = storage.lock('lock', () => Promise.resolve('ran'), abort.signal).catch(() => 'gave up');
    const other = await storage.lock('other', () => Promise.resolve('free'));
    abort.abort();
    release();
    await held;
    same(
      [await waiting, other, await storage.lock('lock', () => Promise.resolve('mine'))],
      ['gave up', 'free', 'mine'],
    );
  },
  'stops waiting for a lock while it is still held, and lets nobody else in': async (storage) => {
    const abort = new AbortController();
    let isHeld = true;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = storage.lock('lock', () => released);
    const waiting = storage.lock('lock', () => Promise.resolve('ran'), abort.signal).catch(() => 'gave up');
    const next = storage.lock('lock', () => Promise.resolve(isHeld));
    abort.abort();
    same(await waiting, 'gave up');
    isHeld = false;
    release();
    await held;
    same(await next, false);
  },
  'stops calling a listener that was removed': async (storage) => {
    const heard: string[][] = [];
    const stop = storage.watch((keys) => heard.push(keys));
    stop();
    await put(storage, { a: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    same(heard, []);
  },
};

/** The tests that every storage has to pass; each creates its own storage. */
export function storageTests(maker: StorageMaker): StorageTest[] {
  return Object.entries(TESTS).map(([name, test]) => ({
    name,
    run: async () => {
      const storage = await maker.create();
      try {
        await test(storage, maker);
      } finally {
        await storage.close();
      }
    },
  }));
}

function same(actual: unknown, expected: unknown): void {
  if (text(actual) !== text(expected)) throw new Error(`expected ${text(expected)}, got ${text(actual)}`);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof Map
      ? [...(inner as Map<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1))
      : typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
  ) ?? 'undefined';
