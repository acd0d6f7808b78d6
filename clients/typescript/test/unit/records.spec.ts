import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, openReadingList, type ReadingList } from '../../src/index.js';
import { NULLS } from '../../src/fields.js';
import { idOf, readRecord } from '../../src/replica/record.js';
import { memoryStorage } from '../../src/storage/memory.js';

type Fields = Record<string, unknown>;

const record = (changed: Fields = {}): Fields => ({
  ...NULLS,
  id: 'a',
  last_modified: 2,
  url: 'https://example.com/a',
  title: 'A',
  resolved_url: 'https://example.com/a',
  excerpt: '',
  archived: false,
  favorite: false,
  is_article: true,
  unread: true,
  added_by: 'phone',
  added_on: 1,
  stored_on: 2,
  read_position: 0,
  ...changed,
});

describe('a record of the service', () => {
  it('is taken with the fields that are known, and no others', () => {
    const names = ['key', 'pending', 'base', 'draft', 'edits', 'removal', 'seen', 'aliases', '__proto__', 'new'];
    const added = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(readRecord(JSON.parse(JSON.stringify(record(added))))).toEqual(record());
  });

  it('has defaults for what is absent or null', () => {
    const { id, last_modified, url, title } = record();
    const rest = { added_by: '', added_on: 2, stored_on: 2 };
    expect(readRecord({ id, last_modified, url, title, archived: null })).toEqual(record(rest));
  });

  it('may be a tombstone', () => {
    expect(readRecord({ id: 'a', deleted: true, last_modified: 3, key: 'x' })).toEqual({
      id: 'a',
      deleted: true,
      last_modified: 3,
    });
  });

  it.each<[string, unknown]>([
    ['id', null],
    ['id', 'text'],
    ['id', 5],
    ['id', []],
    ['id', [record()]],
    ['id', {}],
    ['id', record({ id: null })],
    ['id', record({ id: '' })],
    ['id', record({ id: '../articles' })],
    ['deleted', record({ deleted: 'yes' })],
    ['url', record({ url: null })],
    ['url', record({ url: '' })],
    ['url', record({ url: { href: 'x' } })],
    ['title', record({ title: 5 })],
    ['favorite', record({ favorite: 'true' })],
    ['unread', record({ unread: 1 })],
    ['excerpt', record({ excerpt: ['x'] })],
    ['last_modified', record({ last_modified: '2' })],
    ['last_modified', record({ last_modified: null })],
    ['last_modified', record({ last_modified: -2 })],
    ['last_modified', record({ last_modified: NaN })],
    ['last_modified', record({ last_modified: 1.5 })],
    ['last_modified', { id: 'a', deleted: true }],
    ['last_modified', { id: 'a', deleted: true, last_modified: '3' }],
    ['added_on', record({ added_on: 'today' })],
    ['read_position', record({ read_position: 2 ** 60 })],
  ])('is none for its %s: %j', (field, value) => {
    expect(readRecord(value)).toMatchObject({ kind: 'protocol', field });
  });

  it('is known by its id, even if the rest is odd', () => {
    expect([record({ url: null }), null, { id: 5 }].map(idOf)).toEqual(['a', undefined, undefined]);
  });
});

/** Opens a list on a service that responds with JSON. */
async function open(
  respond: (method: string, path: string, body: Fields) => unknown,
  lastModified = () => '9',
): Promise<{ list: ReadingList; alerts: unknown[] }> {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { pathname, search } = new URL(input as string);
    const body = JSON.parse((init?.body as string | undefined) ?? '{}') as Fields;
    const headers = { 'Last-Modified': lastModified() };
    return Promise.resolve(
      Response.json(respond(init!.method!, pathname.slice('/v2'.length) + search, body), { headers }),
    );
  };
  const client = createClient({ baseUrl: 'https://list.example.com', authorization: 'Bearer x', fetch });
  const list = await openReadingList({ client, storage: memoryStorage(), device: 'laptop' });
  onTestFinished(() => list.close());
  const alerts: unknown[] = [];
  list.on('alert', (alert) => alerts.push(alert));
  return { list, alerts };
}

const titles = async (list: ReadingList) => (await list.list({ order: 'title' })).map(({ title }) => title);
const good = (id: string, changed: Fields = {}) =>
  record({ id, title: id, url: `https://example.com/${id}`, resolved_url: `https://example.com/${id}`, ...changed });

describe('a sync', () => {
  it.each([null, 'text', {}, good('x', { url: null }), good('x', { title: 5 })])(
    'sets %j aside, tells of it, and takes the others',
    async (odd) => {
      const { list, alerts } = await open((_method, path) =>
        path.startsWith('/articles') ? { items: [odd, good('a'), good('b')] } : {},
      );
      await expect(list.sync()).resolves.toMatchObject({ pulled: 2 });
      expect(await titles(list)).toEqual(['a', 'b']);
      expect(alerts).toEqual([
        { code: 'odd-record', message: expect.stringMatching(/^(x|\?): (id|url|title): /) as string },
      ]);
    },
  );

  it('keeps an article of which it got an odd version, also in a listing of everything', async () => {
    let items: unknown[] = [good('a'), good('b')];
    let isBehind = false;
    const { list } = await open(
      (_method, path) => (path.startsWith('/articles') ? { items } : {}),
      () => (isBehind ? '3' : '9'),
    );
    await list.sync();
    items = [good('a', { favorite: 'yes', last_modified: 5 })];
    await list.sync();
    expect(await titles(list)).toEqual(['a', 'b']);
    // The collection's timestamp went back, so everything is listed again.
    isBehind = true;
    await list.sync();
    expect(await titles(list)).toEqual(['a']);
  });

  it.each([5, 'text', null, {}, undefined])('rejects a list that is %j as not from the service', async (items) => {
    const { list } = await open(() => ({ items }));
    await expect(list.sync()).rejects.toMatchObject({ name: 'ReadingListError', kind: 'protocol' });
  });

  it.each([
    { settings: null, capabilities: null },
    { settings: { batch_max_requests: 0, wait_max_seconds: 'x' }, capabilities: 5 },
    { settings: { batch_max_requests: 'many' }, capabilities: 'wait' },
    { settings: 'none' },
  ])('sends changes whatever the service says about itself: %j', async (root) => {
    const { list } = await open((_method, path, body) => {
      if (path === '') return root;
      const create = ({ url, title }: Fields) => good(String(title), { url, resolved_url: url });
      if (path === '/batch')
        return {
          responses: (body.requests as { body: Fields }[]).map((one) => ({ status: 201, body: create(one.body) })),
        };
      return path === '/articles' ? create(body) : { items: [] };
    });
    for (const name of ['a', 'b', 'c']) await list.add({ url: `https://example.com/${name}`, title: name });
    await expect(list.sync()).resolves.toMatchObject({ pushed: 3 });
  });

  it.each([null, 'text', {}, { status: 'x' }, { status: 201, body: null }, { status: 201, headers: { 'a b': 1 } }])(
    'keeps a change that a batch responds to with %j, and sends the others',
    async (slot) => {
      const { list } = await open((_method, path, body) => {
        if (path !== '/batch') return path.startsWith('/articles?') ? { items: [] } : {};
        const [, ...others] = (body.requests as { body: Fields }[]).map(({ body: { title, url } }) => ({
          status: 201,
          body: good(String(title), { url, resolved_url: url }),
        }));
        return { responses: [slot, ...others] };
      });
      for (const name of ['a', 'b', 'c']) await list.add({ url: `https://example.com/${name}`, title: name });
      await expect(list.sync()).rejects.toMatchObject({ name: 'ReadingListError', kind: 'protocol' });
      const pending = (await list.list()).filter((article) => article.pending);
      expect(pending.map(({ title }) => title)).toEqual(['a']);
    },
  );

  it('does not take the response to a change for another article', async () => {
    const { list } = await open((method, path) => {
      if (method === 'PATCH') return good('b', { favorite: true, last_modified: 5 });
      return path.startsWith('/articles') ? { items: [good('a')] } : {};
    });
    await list.sync();
    await list.favorite((await list.get({ id: 'a' }))!.key);
    await expect(list.sync()).rejects.toMatchObject({ kind: 'protocol' });
    expect(await list.list()).toMatchObject([{ id: 'a', favorite: true, pending: true }]);
  });
});
