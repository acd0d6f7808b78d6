import { expect, it } from 'vitest';
import { createPersonalToken } from '../support/personal-token.js';
import { basic, deviceArticles, openDevice, serverArticles, useWorld } from '../support/world.js';

const LIMIT = 3;
const world = useWorld({ MAX_ARTICLES_PER_USER: String(LIMIT) });
const url = (name: number) => `https://example.com/${name}`;

it.each(['Basic', 'Bearer'])(
  'with %s authentication, one article too many is refused, and nobody is signed out',
  async (scheme) => {
    const user = scheme === 'Basic' ? basic() : await world.bearer();
    const { list } = await openDevice(world.url, user);
    for (let at = 0; at <= LIMIT; at++) await list.add({ url: url(at), title: String(at) });
    const { pushed, conflicts } = await list.sync();
    expect(conflicts).toMatchObject([
      { kind: 'refused', reason: 'The limit of 3 articles is reached; delete some first' },
    ]);
    expect([pushed, list.status, await list.countPending()]).toEqual([LIMIT, 'idle', 0]);
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
    const [kept] = await list.list();
    await list.remove(kept!.key);
    await list.add({ url: url(9), title: 'Instead' });
    expect(await list.sync()).toMatchObject({ conflicts: [] });
    expect(await serverArticles(world.url, user)).toHaveLength(LIMIT);
  },
);

it('with a read-only token, each change is refused and told, and nobody is signed out', async () => {
  const make = async (...words: string[]) =>
    `Bearer ${await createPersonalToken(world.database.url, 'alice', '--name', ...words)}`;
  const writer = await openDevice(world.url, await make('phone'));
  const { key } = await writer.list.add({ url: url(0), title: 'Kept' });
  await writer.list.sync();
  const { list } = await openDevice(world.url, await make('mirror', '--read-only'));
  await list.sync();
  const [article] = await list.list();
  await list.rename(article!.key, 'Other');
  await list.add({ url: url(1), title: 'New' });
  const { pushed, conflicts } = await list.sync();
  expect(conflicts.map(({ kind, reason }) => [kind, reason])).toEqual(
    Array.from({ length: 2 }, () => ['refused', 'The access token is read-only']),
  );
  expect([pushed, list.status, await list.countPending()]).toEqual([0, 'idle', 0]);
  await list.remove(article!.key);
  expect(await list.sync()).toMatchObject({
    conflicts: [{ kind: 'refused', reason: 'The access token is read-only' }],
  });
  await writer.list.rename(key, 'Changed');
  await writer.list.sync();
  await list.sync();
  expect((await list.list()).map(({ title }) => title)).toEqual(['Changed']);
});
