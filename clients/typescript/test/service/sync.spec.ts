import { describe, expect, it } from 'vitest';
import type { LocalArticle, Query } from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';
import { ask, basic, deviceArticles, openDevice, serverArticles, useWorld } from '../support/world.js';

const world = useWorld();

const url = (name: string) => `https://example.com/${name}`;

describe('one device', () => {
  it('keeps what was added while it was off, and sends it', async () => {
    const user = basic();
    const storage = memoryStorage();
    const first = await openDevice(world.url, user, { storage, now: () => 1_000_000 });
    const added = await first.list.add({
      url: ` ${url('a')} `,
      title: ' A ',
      favorite: true,
      excerpt: 'Text',
      word_count: 1,
    });
    expect(added).toMatchObject({
      url: url('a'),
      title: 'A',
      pending: true,
      added_by: 'laptop',
      added_on: 1_000_000,
      resolved_title: 'A',
    });
    expect(added.id).toBeUndefined();
    await first.list.close();

    const second = await openDevice(world.url, user, { storage });
    expect(await second.list.list()).toEqual([added]);
    expect(await second.list.sync()).toMatchObject({ pushed: 1, conflicts: [] });
    const stored = (await second.list.get({ key: added.key }))!;
    expect(stored).toMatchObject({ ...added, id: stored.id, pending: false });
    expect(await deviceArticles(second.list)).toEqual(await serverArticles(world.url, user));
  });

  it('takes every kind of edit to the server', async () => {
    const user = basic();
    const { list } = await openDevice(world.url, user, { now: () => 77 });
    const { key } = await list.add({ url: url('b'), title: 'B' });
    await list.sync();
    for (const [edit, expected] of [
      [() => list.setReadPosition(key, 12), { read_position: 12 }],
      [() => list.setReadPosition(key, 5), { read_position: 12 }],
      [() => list.markRead(key), { unread: false, marked_read_by: 'laptop', marked_read_on: 77 }],
      [() => list.archive(key), { archived: true }],
      [() => list.favorite(key), { favorite: true }],
      [() => list.rename(key, 'New \u{1F600}'), { title: 'New \u{1F600}', resolved_title: 'B' }],
      [() => list.favorite(key, false), { favorite: false }],
      [() => list.archive(key, false), { archived: false }],
      [() => list.markUnread(key), { unread: true, marked_read_by: null, marked_read_on: null, read_position: 0 }],
    ] as const) {
      await edit();
      expect(await list.get({ key })).toMatchObject(expected);
      await list.sync();
      expect((await serverArticles(world.url, user))[0]).toMatchObject(expected);
      expect(await list.get({ key })).toMatchObject({ ...expected, pending: false });
    }
    await list.remove(key);
    expect(await list.list()).toEqual([]);
    await list.sync();
    expect(await serverArticles(world.url, user)).toEqual([]);
  });

  it('resets the position of what was read and unread again between two syncs', async () => {
    const user = basic();
    const { list } = await openDevice(world.url, user);
    const { key } = await list.add({ url: url('c'), title: 'C' });
    await list.setReadPosition(key, 40);
    await list.sync();
    await list.markRead(key);
    await list.markUnread(key);
    await list.setReadPosition(key, 7);
    await list.sync();
    expect(await serverArticles(world.url, user)).toMatchObject([{ unread: true, read_position: 7 }]);
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
  });

  it('takes a removal back until it is sent, the last one first', async () => {
    const { list } = await openDevice(world.url, basic());
    const [a, b] = [await list.add({ url: url('a') }), await list.add({ url: url('b') })];
    await list.sync();
    await list.remove(a.key);
    await list.remove(b.key);
    expect((await list.undoRemove())?.key).toBe(b.key);
    expect((await list.undoRemove())?.key).toBe(a.key);
    expect(await list.undoRemove()).toBeUndefined();
    await list.remove(a.key);
    await list.sync();
    expect(await list.undoRemove()).toBeUndefined();
    expect((await list.list()).map(({ key }) => key)).toEqual([b.key]);
  });

  it('adds again what it removed, before and after the removal was sent', async () => {
    const user = basic();
    const { list } = await openDevice(world.url, user);
    const first = await list.add({ url: url('a'), title: 'One' });
    await list.sync();
    await list.remove(first.key);
    const second = await list.add({ url: url('a'), title: 'Two' });
    expect(second.key).not.toBe(first.key);
    await list.sync();
    expect(await serverArticles(world.url, user)).toMatchObject([{ title: 'Two' }]);
    expect(await deviceArticles(list)).toEqual(await serverArticles(world.url, user));
  });

  it('finds the article of a URL that it has, also when it is added twice at once', async () => {
    const { list } = await openDevice(world.url, basic());
    const [one, two] = await Promise.all([
      list.add({ url: url('a'), title: '1' }),
      list.add({ url: url('a'), title: '2' }),
    ]);
    expect(two).toEqual(one);
    expect(await list.count()).toBe(1);
    expect(await list.get({ url: url('a') })).toEqual(one);
  });

  it('counts all articles that a query matches, whatever its limit and offset', async () => {
    const { list } = await openDevice(world.url, basic());
    for (const name of ['a', 'b', 'c']) await list.add({ url: url(name) });
    const query: Query = { unread: true, limit: 2, offset: 1 };
    expect([(await list.list(query)).length, await list.count(query)]).toEqual([2, 3]);
  });

  it('lists by title in the order of a language, and by the title of the page where the user gave none', async () => {
    const { list } = await openDevice(world.url, basic());
    for (const title of ['Zebra', 'Äpfel', 'apple', null])
      await list.add({ url: url(String(title)), title, resolved_title: title ?? 'Mango' });
    const listed = await list.list({ order: 'title' });
    expect(listed.map((article) => article.resolved_title)).toEqual(['Äpfel', 'apple', 'Mango', 'Zebra']);
  });

  it('finds the articles that have every word in their titles, URL or excerpt, in any case', async () => {
    const { list } = await openDevice(world.url, basic());
    await list.add({ url: url('a'), resolved_title: 'On Bread', excerpt: 'With rye.' });
    await list.add({ url: url('b'), title: 'Bread without' });
    const found = async (text: string) => (await list.search(text)).map((article) => article.url);
    expect(await found('BREAD rye')).toEqual([url('a')]);
    expect((await found('bread example.com')).length).toBe(2);
    expect(await found('bread cake')).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ order: 'zzz' }, 'order: not one of newest,oldest,title'],
    [{ limit: -1 }, 'limit: not an integer >= 0'],
    [{ limit: 1.5 }, 'limit: not an integer >= 0'],
    [{ offset: -1 }, 'offset: not an integer >= 0'],
    [{ limit: '5' }, 'limit: not an integer >= 0'],
  ])('refuses the query %j', async (query, message) => {
    const { list } = await openDevice(world.url, basic());
    const refusal = { name: 'ReadingListError', kind: 'refused', field: Object.keys(query)[0], message };
    await expect(list.list(query)).rejects.toMatchObject(refusal);
    await expect(list.search('x', query)).rejects.toMatchObject(refusal);
    expect(() => list.subscribe(query, () => undefined)).toThrow(message);
    expect(await list.list({ limit: Infinity })).toEqual([]);
  });

  it('refuses what the service would refuse, and keeps nothing of it', async () => {
    const { list, sent } = await openDevice(world.url, basic());
    for (const fields of [
      { url: 'www.example.com' },
      { url: 'javascript:alert(1)' },
      { url: 'https://' },
      { url: 'http://[' },
      { url: 'http://host:abc/' },
      { url: url('a'), preview: 'http://a:b' },
      { url: `https://example.com/${'x'.repeat(2048)}` },
      { url: url('a'), title: 'x'.repeat(1025) },
      { url: url('a'), title: 'a\0b' },
      { url: url('a'), read_position: -1 },
    ])
      await expect(list.add(fields)).rejects.toMatchObject({
        name: 'ReadingListError',
        kind: 'refused',
        field: expect.any(String) as string,
      });
    await expect(list.rename('nonsense', 'x')).rejects.toMatchObject({ kind: 'refused' });
    expect([await list.count(), sent.length]).toEqual([0, 0]);
    await list.add({ url: url('a'), title: '\u{1F600}'.repeat(1024) });
    for (const accepted of ['http://[::1]:80/', 'http://me:pass@host:/x', 'gopher://[fe80::1%25eth0]', 'http://ö?@a:b'])
      await list.add({ url: accepted });
    expect((await list.sync()).conflicts).toEqual([]);
  });

  it('makes two syncs at once one', async () => {
    const { list, sent } = await openDevice(world.url, basic());
    await list.sync();
    sent.length = 0;
    const [one, two] = await Promise.all([list.sync(), list.sync()]);
    expect(one).toBe(two);
    expect(sent.length).toBe(1);
  });
});

describe('two devices', () => {
  const pair = async () => {
    const user = basic();
    const [a, b] = [
      await openDevice(world.url, user, { device: 'phone' }),
      await openDevice(world.url, user, { device: 'tablet' }),
    ];
    return { user, a, b };
  };
  const shared = async (fields = {}) => {
    const { user, a, b } = await pair();
    await a.list.add({ url: url('shared'), title: 'Shared', ...fields });
    await a.list.sync();
    await b.list.sync();
    const find = async ({ list }: typeof a) => (await list.get({ url: url('shared') })) as LocalArticle;
    return { user, a, b, keyA: (await find(a)).key, keyB: (await find(b)).key };
  };
  /** Loses the response to such a request, and the pull that follows. */
  const loseFrom = async (pattern: string) => {
    await world.proxy.cutAfterRequest(pattern);
    await world.proxy.cutBeforeRequest('GET /v2/articles');
  };
  const settle = async ({ user, a, b }: Awaited<ReturnType<typeof pair>>) => {
    for (const { list } of [a, b, a, b]) await list.sync();
    const server = await serverArticles(world.url, user);
    expect(await deviceArticles(a.list)).toEqual(server);
    expect(await deviceArticles(b.list)).toEqual(server);
    return server;
  };

  it('keep edits of different fields', async () => {
    const both = await shared();
    await both.a.list.rename(both.keyA, 'Renamed');
    await both.b.list.favorite(both.keyB);
    await both.b.list.markRead(both.keyB);
    expect(await settle(both)).toMatchObject([
      { title: 'Renamed', favorite: true, unread: false, marked_read_by: 'tablet' },
    ]);
    expect([...both.a.told, ...both.b.told]).toEqual([]);
  });

  it('tell whose title came second', async () => {
    const both = await shared();
    await both.a.list.rename(both.keyA, 'First');
    await both.b.list.rename(both.keyB, 'Second');
    expect(await settle(both)).toMatchObject([{ title: 'First' }]);
    expect(both.a.told).toEqual([]);
    expect(both.b.told).toMatchObject([
      { key: both.keyB, url: url('shared'), kind: 'merged', lost: { title: 'Second' } },
    ]);
  });

  it('take the higher position', async () => {
    const both = await shared();
    await both.a.list.setReadPosition(both.keyA, 50);
    await both.b.list.setReadPosition(both.keyB, 30);
    expect(await settle(both)).toMatchObject([{ read_position: 50 }]);
    expect([...both.a.told, ...both.b.told]).toEqual([]);
  });

  it('let a deletion win over an edit that comes later, and tell it', async () => {
    const both = await shared();
    await both.a.list.remove(both.keyA);
    await both.b.list.rename(both.keyB, 'Mine');
    expect(await settle(both)).toEqual([]);
    expect(both.b.told).toMatchObject([{ kind: 'deleted-remotely', lost: { title: 'Mine' } }]);
  });

  it('let a deletion win over an edit that came first, and tell it', async () => {
    const both = await shared();
    await both.b.list.rename(both.keyB, 'Mine');
    await both.b.list.sync();
    await both.a.list.remove(both.keyA);
    expect(await settle(both)).toEqual([]);
    expect(both.a.told).toMatchObject([{ kind: 'deleted-here-edited-remotely', lost: { title: 'Mine' } }]);
  });

  it('delete the same article without a word', async () => {
    const both = await shared();
    await both.a.list.remove(both.keyA);
    await both.b.list.remove(both.keyB);
    expect(await settle(both)).toEqual([]);
    expect([...both.a.told, ...both.b.told]).toEqual([]);
  });

  it('make one record of the same URL, with what both did', async () => {
    const { user, a, b } = await pair();
    const one = await a.list.add({ url: url('twice'), title: 'Title', archived: true });
    await a.list.setReadPosition(one.key, 5);
    const two = await b.list.add({ url: url('twice'), title: 'Title', favorite: true });
    await b.list.setReadPosition(two.key, 9);
    await b.list.markRead(two.key);
    const server = await settle({ user, a, b });
    expect(server).toMatchObject([
      { archived: true, favorite: true, unread: false, read_position: 9, marked_read_by: 'tablet', added_by: 'phone' },
    ]);
    expect((await b.list.get({ key: two.key }))?.id).toBe(server[0]!.id);
    expect([...a.told, ...b.told]).toEqual([]);
  });

  it('tell which title of the same URL was lost', async () => {
    const { user, a, b } = await pair();
    await a.list.add({ url: url('twice'), title: 'Hers' });
    await b.list.add({ url: url('twice'), title: 'His' });
    expect(await settle({ user, a, b })).toMatchObject([{ title: 'Hers' }]);
    expect(b.told).toMatchObject([{ kind: 'merged', lost: { title: 'His' } }]);
  });

  it('fold two articles into one when they turn out to be the same page', async () => {
    const { user, a, b } = await pair();
    await a.list.add({ url: url('target'), title: 'Title' });
    await a.list.sync();
    await b.list.sync();
    const known = (await b.list.get({ url: url('target') }))!;
    const short = await b.list.add({ url: url('short'), title: 'Title', resolved_url: url('target'), favorite: true });
    expect(await settle({ user, a, b })).toMatchObject([{ url: url('target'), favorite: true }]);
    expect(await b.list.get({ key: short.key })).toEqual(await b.list.get({ key: known.key }));
    await b.list.archive(short.key);
    expect(await settle({ user, a, b })).toMatchObject([{ archived: true }]);
  });

  it('follow a URL that was deleted and saved again by another', async () => {
    const both = await shared();
    await both.a.list.remove(both.keyA);
    await both.a.list.add({ url: url('shared'), title: 'Again' });
    expect(await settle(both)).toMatchObject([{ title: 'Again' }]);
  });

  it('are not told of their own edits when an answer got lost', async () => {
    const both = await shared();
    await both.b.list.favorite(both.keyB);
    const lost = world.proxy.cutAfterRequest('PATCH /v2/articles/');
    await expect(both.b.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await lost;
    expect(await settle(both)).toMatchObject([{ favorite: true }]);
    expect([...both.a.told, ...both.b.told]).toEqual([]);
  });

  it('do not undo what came after an edit whose answer got lost', async () => {
    const both = await shared();
    await both.b.list.favorite(both.keyB);
    await both.b.list.rename(both.keyB, 'Mine');
    const lost = loseFrom('PATCH /v2/articles/');
    await expect(both.b.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await lost;
    await both.a.list.sync();
    await both.a.list.favorite(both.keyA, false);
    await both.a.list.sync();
    expect(await settle(both)).toMatchObject([{ favorite: false, title: 'Mine' }]);
    expect(both.a.told).toEqual([]);
    expect(both.b.told).toMatchObject([{ kind: 'merged', lost: { favorite: true } }]);
  });

  it('tell of an edit whose answer got lost when another device made part of it', async () => {
    const both = await shared();
    await both.b.list.favorite(both.keyB);
    await both.b.list.archive(both.keyB);
    const cut = world.proxy.cutBeforeRequest('PATCH /v2/articles/');
    await expect(both.b.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await cut;
    await both.a.list.archive(both.keyA);
    await both.a.list.sync();
    expect(await settle(both)).toMatchObject([{ archived: true, favorite: false }]);
    expect(both.b.told).toMatchObject([{ kind: 'merged', lost: { favorite: true } }]);
  });

  it('make one article of a creation whose answer got lost', async () => {
    const { user, a, b } = await pair();
    const added = await a.list.add({ url: url('lost'), title: 'Lost' });
    const lost = loseFrom('POST /v2/articles');
    await expect(a.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await lost;
    await a.list.rename(added.key, 'Found');
    expect(await settle({ user, a, b })).toMatchObject([{ title: 'Found' }]);
    expect([...a.told, ...b.told]).toEqual([]);
  });

  it('delete what was removed after a creation whose answer got lost', async () => {
    const { user, a, b } = await pair();
    const added = await a.list.add({ url: url('lost'), title: 'Lost' });
    const lost = loseFrom('POST /v2/articles');
    await expect(a.list.sync()).rejects.toMatchObject({ kind: 'network' });
    await lost;
    await b.list.sync();
    expect(await b.list.count()).toBe(1);
    await a.list.remove(added.key);
    expect(await settle({ user, a, b })).toEqual([]);
  });

  it('see what another program does', async () => {
    const both = await shared();
    const { id } = (await both.a.list.get({ key: both.keyA }))!;
    await ask(world.url, both.user, 'PATCH', `/articles/${id}`, { excerpt: 'New', word_count: 3 });
    expect(await both.a.list.sync()).toMatchObject({ pulled: 1, pushed: 0 });
    await settle(both);
  });
});
