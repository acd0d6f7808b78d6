import { expect, it } from 'vitest';
import { memoryStorage } from '../../src/storage/memory.js';
import type { Storage } from '../../src/storage/storage.js';
import { basic, openDevice, useWorld } from '../support/world.js';

const world = useWorld();

/** A storage that notes what is asked of it once it is closed, and can announce changes of another tab. */
function watched() {
  const inner = memoryStorage();
  const state = { isClosed: false, late: [] as string[] };
  const listeners = new Set<(keys: string[]) => void>();
  const noted = <Name extends 'load' | 'update'>(name: Name) =>
    ((...args: never[]) => {
      if (state.isClosed) state.late.push(name);
      return (inner[name] as (...all: never[]) => unknown)(...args);
    }) as Storage[Name];
  const storage: Storage = {
    ...inner,
    load: noted('load'),
    update: noted('update'),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      state.isClosed = true;
      return inner.close();
    },
  };
  return { storage, state, announce: (keys: string[]) => listeners.forEach((listener) => listener(keys)) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

it('nothing is read after closing, though another tab has just changed something', async () => {
  const { storage, state, announce } = watched();
  const update = storage.update.bind(storage);
  let release = () => {};
  const { list } = await openDevice(world.url, basic(), { storage });
  storage.update = async (keys, change) => {
    await new Promise<void>((resolve) => (release = resolve));
    await update(keys, change);
  };
  const adding = list.add({ url: 'https://example.com/' });
  await settled();
  const closing = list.close();
  await settled();
  for (let n = 0; n < 2; n++) announce(['state']);
  release();
  await adding;
  await closing;
  await settled();
  expect(state.late).toEqual([]);
});

it('each call of close waits until the storage is closed', async () => {
  const { storage, state } = watched();
  const close = storage.close.bind(storage);
  storage.close = async () => {
    await settled();
    await close();
  };
  const { list } = await openDevice(world.url, basic(), { storage });
  void list.close();
  await list.close();
  expect(state.isClosed).toBe(true);
});
