import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileStorage } from '../../src/storage/file.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { type Storage } from '../../src/storage/storage.js';
import { storageTests } from '../../src/storage/suite.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-list-storage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('in memory', () => {
  for (const { name, run } of storageTests({ create: memoryStorage, reopen: (storage) => storage })) it(name, run);
});

describe('in a file', () => {
  const paths = new WeakMap<Storage, string>();
  let count = 0;
  const open = (path: string) => {
    const storage = fileStorage(path);
    paths.set(storage, path);
    return storage;
  };
  const maker = {
    create: () => open(join(folder, String(++count))),
    reopen: (storage: Storage) => open(paths.get(storage)!),
  };
  for (const { name, run } of storageTests(maker)) it(name, run);

  it('is refused to a second user at the same time', async () => {
    const path = join(folder, 'locked');
    const first = fileStorage(path);
    await first.load();
    const second = fileStorage(path);
    await expect(second.load()).rejects.toThrow(`the storage ${path} cannot be opened: `);
    await expect(second.load()).rejects.toThrow('; close the list that has it open');
    await first.close();
    expect(await second.load()).toEqual([]);
    await second.close();
  });

  it.each<[string, string, () => unknown, string]>([
    ['is a file', 'file', () => writeFileSync(join(folder, 'file'), ''), 'EEXIST: file already exists'],
    ['is below a file', 'file/storage', () => writeFileSync(join(folder, 'file'), ''), 'ENOTDIR: not a directory'],
    [
      'cannot be written to',
      'taken',
      () => mkdirSync(join(folder, 'taken', 'LOCK'), { recursive: true }),
      'IO error: ',
    ],
  ])('names the path that %s, the reason and what to do', async (_, name, prepare, reason) => {
    prepare();
    const path = join(folder, name);
    const opening = fileStorage(path).load();
    await expect(opening).rejects.toThrow(`the storage ${path} cannot be opened: ${reason}`);
    await expect(opening).rejects.toThrow(/; .*give (the path of )?a folder/);
  });
});

describe('the suite', () => {
  const run = async (change: (storage: Storage) => Partial<Storage>) => {
    const create = () => {
      const storage = memoryStorage();
      return { ...storage, ...change(storage) };
    };
    const results = await Promise.all(
      storageTests({ create, reopen: (storage) => storage }).map((test) =>
        test.run().then(
          () => undefined,
          () => test.name,
        ),
      ),
    );
    return results.filter(Boolean);
  };
  it.each<[string, (storage: Storage) => Partial<Storage>]>([
    [
      'forgets deletions',
      (storage) => ({
        update: (keys, change) =>
          storage.update(keys, (now) => new Map([...change(now)].filter(([, value]) => value !== undefined))),
      }),
    ],
    [
      'shows an update everything',
      (storage) => ({
        update: async (_keys, change) =>
          storage.update(
            (await storage.load()).map(([key]) => key),
            change,
          ),
      }),
    ],
    ['has locks that do not lock', () => ({ lock: (_name, work) => work() })],
    ['ignores which keys are asked for', (storage) => ({ load: () => storage.load() })],
    [
      'loses updates that run at once',
      (storage) => ({
        update: async (keys, change) => {
          const now = new Map(await storage.load(keys));
          const changes = change(now);
          await storage.update([], () => changes);
        },
      }),
    ],
  ])('finds a storage that %s', async (_, change) => {
    expect(await run(change)).not.toEqual([]);
  });
});
