import { describe, expect, it } from 'vitest';
import { createClient, openReadingList, ReadingListError } from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';
import type { Storage } from '../../src/storage/storage.js';
import { basic, deviceArticles, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld();

const url = (name: string) => `https://example.com/${name}`;
const full = new Error('the disk is full');

/** A storage whose updates fail: `before` they are stored, or `after`. */
function fragile(): { storage: Storage; inner: Storage; fail: 'never' | 'before' | 'after' } {
  const inner = memoryStorage();
  const update: Storage['update'] = async (keys, change) => {
    await inner.update(keys, (current) => {
      const changes = change(current);
      if (state.fail === 'before') throw full;
      return changes;
    });
    if (state.fail === 'after') throw full;
  };
  const state: ReturnType<typeof fragile> = { fail: 'never', inner, storage: { ...inner, update } };
  return state;
}

describe.each(['before', 'after'] as const)('a write that fails %s it is stored', (when) => {
  it('rejects with a ReadingListError, and the list shows what is stored', async () => {
    const user = basic();
    const state = fragile();
    const { list } = await openDevice(world.url, user, { storage: state.storage });
    const kept = await list.add({ url: url('kept'), title: 'Kept' });
    const gone = await list.add({ url: url('gone'), title: 'Gone' });
    await list.sync();
    state.fail = when;
    for (const attempt of [
      () => list.add({ url: url('new') }),
      () => list.rename(kept.key, 'Renamed'),
      () => list.remove(gone.key),
    ]) {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ReadingListError);
      expect(error).toMatchObject({ kind: 'refused', cause: full });
    }
    const shown = await list.list({ order: 'oldest' });
    expect(shown.map(({ title }) => title)).toEqual(when === 'before' ? ['Kept', 'Gone'] : ['Renamed', null]);
    const again = await openDevice(world.url, user, { storage: state.inner });
    expect(await again.list.list({ order: 'oldest' })).toEqual(shown);

    state.fail = 'never';
    expect(await list.sync()).toMatchObject({ conflicts: [] });
    expect(await list.list({ order: 'oldest' })).toMatchObject(shown.map(({ key, title }) => ({ key, title })));
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
  });

  it('in a sync rejects it, and the next one goes on', async () => {
    const user = basic();
    const state = fragile();
    const { list } = await openDevice(world.url, user, { storage: state.storage });
    await list.add({ url: url('a'), title: 'A' });
    let count = 0;
    list.on('status', () => (count = 0));
    for (let failing = 0; failing < 3; failing++) {
      await list.add({ url: url(String(failing)), title: String(failing) });
      const { storage } = state;
      const update = storage.update.bind(storage);
      storage.update = async (keys, change) => {
        state.fail = count++ === failing ? when : 'never';
        await update(keys, change);
      };
      await expect(list.sync()).rejects.toMatchObject({ name: 'ReadingListError', kind: 'refused', cause: full });
      storage.update = update;
      state.fail = 'never';
    }
    await list.sync();
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
    expect((await serverArticles(world.url, user)).length).toBe(4);
  });
});

it('a storage that cannot be opened or closed rejects with a ReadingListError', async () => {
  const client = createClient({ baseUrl: world.url, authorization: basic() });
  const broken = { ...memoryStorage(), load: () => Promise.reject(full) };
  await expect(openReadingList({ client, device: 'd', storage: broken })).rejects.toMatchObject({
    name: 'ReadingListError',
    cause: full,
  });
  const stuck = { ...memoryStorage(), close: () => Promise.reject(full) };
  const list = await openReadingList({ client, device: 'd', storage: stuck });
  await expect(list.close()).rejects.toMatchObject({ name: 'ReadingListError', cause: full });
});
