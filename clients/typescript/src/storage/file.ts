import { ClassicLevel } from 'classic-level';
import { LocalLocks } from './local-locks.js';
import type { Storage, Value } from './storage.js';

/**
 * A storage in a folder, for Node (LevelDB, by the package `classic-level`). Every change is synced to disk before it
 * resolves, so that neither SIGKILL nor a power failure loses one. For one list in one process: a second one fails
 * to load, with an error that names the path and the reason.
 */
export function fileStorage(path: string): Storage {
  const locks = new LocalLocks();
  let opened: Promise<ClassicLevel> | undefined;
  const database = () =>
    (opened ??= open(path).catch((error) => ((opened = undefined), Promise.reject(error as Error))));

  const read = async (keys: readonly string[]): Promise<[string, Value][]> => {
    const found = await (await database()).getMany([...keys]);
    return keys.flatMap((key, index) => (found[index] === undefined ? [] : [parsed([key, found[index]])]));
  };
  return {
    load: async (keys) => (keys ? read(keys) : (await (await database()).iterator().all()).map(parsed)),
    update: (keys, change) =>
      locks.run(' update', async () => {
        const changes = [...change(new Map(await read(keys)))];
        if (changes.length === 0) return;
        const operations = changes.map(([key, value]) =>
          value === undefined
            ? ({ type: 'del', key } as const)
            : ({ type: 'put', key, value: JSON.stringify(value) } as const),
        );
        await (await database()).batch(operations, { sync: true });
      }),
    // Only one process uses the storage, so nobody else changes it.
    watch: () => () => undefined,
    lock: (name, work, signal) => locks.run(name, work, signal),
    close: async () => {
      const closing = opened;
      opened = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}

const parsed = ([key, text]: [string, string]): [string, Value] => [key, JSON.parse(text) as Value];

async function open(path: string): Promise<ClassicLevel> {
  const database = new ClassicLevel(path);
  await database.open().catch((error: Error) => {
    const cause = (error.cause ?? error) as Error & { code?: string };
    const advice = ADVICE[cause.code ?? ''];
    const message = `the storage ${path} cannot be opened: ${cause.message}`;
    throw new Error(advice ? `${message}; ${advice}` : message, { cause });
  });
  return database;
}

const NOT_A_FOLDER = 'part of the path is a file: give the path of a folder';
const NOT_WRITABLE = 'give a folder that this process may write to';

/** What to do, by the code of the reason. */
const ADVICE: Readonly<Record<string, string>> = {
  LEVEL_LOCKED: 'close the list that has it open, in this process or another one, or give each list its own folder',
  EEXIST: NOT_A_FOLDER,
  ENOTDIR: NOT_A_FOLDER,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  LEVEL_IO_ERROR: NOT_WRITABLE,
};

export type { Changes, Storage, Value } from './storage.js';
