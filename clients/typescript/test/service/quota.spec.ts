import { expect, it } from 'vitest';
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
      { kind: 'refused', reason: 'The limit of 3 articles is reached, delete some first' },
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
