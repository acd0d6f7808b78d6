import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { deviceWith, type Item, timestampOf } from '../support/device-with.js';
import { client, type Client } from '../support/client.js';

type Fields = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** A user with one article of the given fields. */
async function deviceWithOne(fields: Fields = {}): Promise<{ device: Client; item: Item; path: string }> {
  const { device, items } = await deviceWith(app, fields);
  const item = items[0]!;
  return { device, item, path: `/articles/${item.id}` };
}

const READ = { unread: false, marked_read_by: 'phone', marked_read_on: 5, read_position: 10 };

describe('a PATCH', () => {
  it.each<[Fields, Fields, Fields?]>([
    [{}, { title: 'New' }],
    [{}, { title: '' }],
    [{}, { title: null }],
    [{}, { excerpt: ' kept ' }],
    [{}, { favorite: true }],
    [{}, { archived: true }],
    [{}, { is_article: false }],
    [{}, { resolved_url: 'https://example.com/elsewhere' }],
    [{}, { resolved_title: 'Elsewhere' }],
    [{}, { resolved_title: '' }],
    [{}, { word_count: 7 }],
    [{}, { read_position: 7 }],
    [{}, { unread: false, marked_read_by: 'tv', marked_read_on: 7 }],
    [{}, { title: ' \tpad\r\n' }, { title: 'pad' }],
    [
      {},
      { favorite: 'TRUE', archived: '1', is_article: 0, unread: 'false' },
      {
        favorite: true,
        archived: true,
        is_article: false,
        unread: false,
      },
    ],
    [{}, { word_count: '42', read_position: ' 7 ' }, { word_count: 42, read_position: 7 }],
    [{ excerpt: 'x' }, { excerpt: null }, { excerpt: '' }],
    [{ word_count: 7 }, { word_count: null }],
    [{ title: 'T', resolved_title: 'R' }, { resolved_title: null }, { resolved_title: 'T' }],
    [
      { title: 'T', resolved_title: 'R' },
      { title: 'U', resolved_title: null },
      { title: 'U', resolved_title: 'U' },
    ],
    [{ url: 'http://a/', resolved_url: 'http://r/' }, { resolved_url: null }, { resolved_url: 'http://a/' }],
    [{ url: 'http://a/', resolved_url: 'http://r/' }, { resolved_url: '' }, { resolved_url: 'http://a/' }],
    [{}, { unread: false }, { unread: false, marked_read_by: null, marked_read_on: null }],
    [
      { marked_read_by: 'x', marked_read_on: 1 },
      { unread: false },
      { unread: false, marked_read_by: null, marked_read_on: null },
    ],
    [{}, { unread: false, marked_read_by: null }, { unread: false, marked_read_by: null }],
    [{}, { unread: true, read_position: 7 }, { unread: true, read_position: 7 }],
    [READ, { read_position: 11 }],
    [READ, { unread: false, read_position: 11, marked_read_by: 'tv' }, { ...READ, read_position: 11 }],
    [READ, { unread: true }, { unread: true, marked_read_by: null, marked_read_on: null, read_position: 0 }],
    [
      READ,
      { unread: true, marked_read_by: 'tv', marked_read_on: 9, read_position: 99 },
      {
        unread: true,
        marked_read_by: null,
        marked_read_on: null,
        read_position: 0,
      },
    ],
    [{}, { favorite: true, archived: null, unread: null, read_position: null, is_article: null }, { favorite: true }],
  ])('of an article with %j by %j changes it', async (stored, sent, expected = sent) => {
    const { device, item, path } = await deviceWithOne(stored);
    const { body } = await device.patch(path).send(sent).expect(200);
    expect(body).toEqual({ ...item, ...expected, last_modified: expect.any(Number) });
    expect(body.last_modified).toBeGreaterThan(item.last_modified);
    expect((await device.get(path).expect(200)).body).toEqual(body);
    expect(await timestampOf(device)).toBe(body.last_modified);
  });

  it.each<[Fields, Fields]>([
    [{}, {}],
    [{ title: 'Same' }, { title: ' Same\n' }],
    [{}, { unread: 'True', favorite: 0, archived: 'false', is_article: '1', read_position: '0', word_count: null }],
    [{}, { resolved_url: null, resolved_title: null, excerpt: null }],
    [{}, { favorite: null, unread: null, archived: null, is_article: null, read_position: null }],
    [{ read_position: 5 }, { read_position: 3 }],
    [READ, { read_position: 9 }],
    [READ, { unread: false, marked_read_by: 'tv', marked_read_on: 9 }],
    [READ, { marked_read_by: 'tv', marked_read_on: 9 }],
    [{}, { marked_read_by: 'tv', marked_read_on: 9 }],
    [{}, { marked_read_by: 5, marked_read_on: 'never' }],
    [{}, { unread: true, marked_read_by: 'tv' }],
    [{}, { _id: 'x', status: 'new', deleted: true, colour: 'red', constructor: 1, toString: 2 }],
    [{ preview: '' }, { preview: '' }],
    [{ preview: 'http://p/' }, { preview: null, url: null, id: null, added_on: null }],
  ])('of an article with %j by %j changes nothing', async (stored, sent) => {
    const { device, item, path } = await deviceWithOne(stored);
    expect((await device.patch(path).send(sent).expect(200)).body).toEqual(item);
    expect((await device.get(path).expect(200)).body).toEqual(item);
    expect(await timestampOf(device)).toBe(item.last_modified);
  });

  it('takes the whole record back', async () => {
    const { device, item, path } = await deviceWithOne(READ);
    expect((await device.patch(path).send(item).expect(200)).body).toEqual(item);
    const { body } = await device
      .patch(path)
      .send({ ...item, favorite: true })
      .expect(200);
    expect(body).toMatchObject({ favorite: true });
  });

  it('takes read-only fields that are equal in another form', async () => {
    const { device, item, path } = await deviceWithOne({ added_by: 'tv', added_on: 5 });
    const sent = {
      id: item.id.toUpperCase(),
      url: ` ${item.url}\n`,
      added_by: ' tv ',
      added_on: '5',
      stored_on: String(item.stored_on),
      last_modified: ` ${item.last_modified} `,
      favorite: true,
    };
    expect((await device.patch(path).send(sent).expect(200)).body).toMatchObject({ favorite: true, url: item.url });
  });

  it('takes an id in upper case', async () => {
    const { device, item } = await deviceWithOne();
    const { body } = await device.patch(`/articles/${item.id.toUpperCase()}`).send({ favorite: true }).expect(200);
    expect(body).toMatchObject({ id: item.id, favorite: true });
  });
});

describe('a PATCH of a read-only field', () => {
  it.each<[string, unknown]>([
    ['id', randomUUID()],
    ['id', 5],
    ['id', ''],
    ['last_modified', 5],
    ['url', 'https://example.com/other'],
    ['url', 'HTTPS://EXAMPLE.COM/'],
    ['url', ''],
    ['url', 5],
    ['stored_on', 5],
    ['added_by', 'other'],
    ['added_by', ''],
    ['added_on', 5],
    ['added_on', 'never'],
    ['preview', 'https://example.com/other'],
    ['preview', ''],
  ])('%s is refused with 400 / 109 when it differs: %j', async (field, value) => {
    const { device, item, path } = await deviceWithOne({ preview: 'https://example.com/p' });
    const { body } = await device
      .patch(path)
      .send({ favorite: true, [field]: value })
      .expect(400);
    expect(body).toMatchObject({ code: 400, errno: 109, message: `${field}: is read-only` });
    expect((await device.get(path).expect(200)).body).toEqual(item);
    expect(await timestampOf(device)).toBe(item.last_modified);
  });
});

describe('a PATCH of resolved_url', () => {
  it('is refused with 409 / 122 that names the field and the other record when it is taken', async () => {
    const { device, item, path } = await deviceWithOne();
    const { body: other } = await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://r/' }))
      .expect(201);
    const sent = { title: 'never stored', unread: false, resolved_url: 'http://r/' };
    const { body } = await device.patch(path).send(sent).expect(409);
    expect(body).toMatchObject({ code: 409, errno: 122, error: 'Conflict' });
    expect(body.message).toBe(`resolved_url: article ${other.id} already has it`);
    expect((await device.get(path).expect(200)).body).toEqual(item);
    expect(await timestampOf(device)).toBe(other.last_modified);
  });

  it.each([null, ''])('is refused as well when its default is taken: %j', async (resolved_url) => {
    const { device, item, path } = await deviceWithOne({ resolved_url: 'http://r/' });
    const { body: other } = await device
      .post('/articles')
      .send(anArticle({ resolved_url: item.url }))
      .expect(201);
    const { body } = await device.patch(path).send({ resolved_url }).expect(409);
    expect(body.message).toContain(other.id);
  });

  it('may be the url of another article, its own one, or that of a deleted one', async () => {
    const { device, item, path } = await deviceWithOne();
    const { body: other } = await device
      .post('/articles')
      .send(anArticle({ url: 'http://o/', resolved_url: 'http://r/' }))
      .expect(201);
    await device.patch(path).send({ resolved_url: 'http://o/' }).expect(200);
    await device.patch(path).send({ resolved_url: item.url }).expect(200);
    await device.delete(`/articles/${other.id}`).expect(200);
    await device.patch(path).send({ resolved_url: 'http://r/' }).expect(200);
  });

  it('is free for another user', async () => {
    const { device, path } = await deviceWithOne();
    const stranger = await deviceWithOne({ resolved_url: 'http://r/' });
    await device.patch(path).send({ resolved_url: stranger.item.resolved_url }).expect(200);
  });

  it('lets two articles swap over a third address', async () => {
    const { device, path } = await deviceWithOne({ resolved_url: 'http://r/1' });
    const { body: other } = await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://r/2' }))
      .expect(201);
    await device.patch(path).send({ resolved_url: 'http://r/3' }).expect(200);
    await device.patch(`/articles/${other.id}`).send({ resolved_url: 'http://r/1' }).expect(200);
    await device.patch(path).send({ resolved_url: 'http://r/2' }).expect(200);
  });

  it('succeeds for one of many that want the same', async () => {
    const device = client(app.url);
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => (await device.post('/articles').send(anArticle())).body.id as string),
    );
    const answers = await Promise.all(
      ids.map((id) => device.patch(`/articles/${id}`).send({ resolved_url: 'http://r/' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const winner = ids[answers.findIndex(({ status }) => status === 200)]!;
    for (const { body, status } of answers) if (status === 409) expect(body.message).toContain(winner);
  });
});

describe('Response-Behavior', () => {
  const answerTo = async (stored: Fields, sent: Fields, behavior?: string) => {
    const { device, item, path } = await deviceWithOne(stored);
    const test = device.patch(path).send(sent);
    if (behavior !== undefined) test.set('Response-Behavior', behavior);
    const { body } = await test.expect(200);
    return { body: body as Item, item };
  };

  it.each([undefined, 'full', 'FULL', '', 'lite', 'light,diff', 'constructor'])(
    '%j answers with the record',
    async (value) => {
      const { body, item } = await answerTo({}, { title: 'New' }, value);
      expect(body).toEqual({ ...item, title: 'New', last_modified: body.last_modified });
    },
  );

  it.each<[Fields, Fields, Fields]>([
    [{}, {}, {}],
    [{}, { title: 'New', favorite: false }, { title: 'New' }],
    [{}, { title: ' New ' }, { title: 'New' }],
    [{}, { archived: 'true' }, { archived: true }],
    [READ, { unread: true }, { unread: true }],
    [READ, { unread: true, read_position: 50 }, { unread: true, read_position: 0 }],
    [{}, { unread: false, marked_read_by: 'tv' }, { unread: false, marked_read_by: 'tv' }],
    [{ read_position: 5 }, { read_position: 3 }, {}],
    [{}, { colour: 'red' }, {}],
    [{ title: 'T', resolved_title: 'R' }, { resolved_title: null }, { resolved_title: 'T' }],
  ])('light on %j and %j shows %j', async (stored, sent, shown) => {
    expect((await answerTo(stored, sent, 'light')).body).toEqual(shown);
    expect((await answerTo(stored, sent, ' LIGHT ')).body).toEqual(shown);
  });

  it.each<[Fields, Fields, Fields]>([
    [{}, {}, {}],
    [{}, { title: 'New', favorite: false }, {}],
    [{}, { title: '  pad ' }, { title: 'pad' }],
    [{}, { archived: 'True', read_position: '42', word_count: '42' }, {}],
    [{ read_position: 5 }, { read_position: 3 }, { read_position: 5 }],
    [READ, { marked_read_by: 'tv', marked_read_on: 5 }, { marked_read_by: 'phone' }],
    [{}, { marked_read_by: 'tv' }, { marked_read_by: null }],
    [READ, { unread: true, read_position: 50 }, { read_position: 0 }],
    [{}, { colour: 'red' }, {}],
    [{}, { excerpt: 'a\ud800' }, { excerpt: 'a\ufffd' }],
  ])('diff on %j and %j shows %j', async (stored, sent, shown) => {
    expect((await answerTo(stored, sent, 'diff')).body).toEqual(shown);
    expect((await answerTo(stored, sent, 'Diff')).body).toEqual(shown);
  });

  it('diff shows last_modified when it was sent and has moved', async () => {
    const { device, item, path } = await deviceWithOne();
    const { body } = await device
      .patch(path)
      .set('Response-Behavior', 'diff')
      .send({ ...item, favorite: true })
      .expect(200);
    expect(body).toEqual({ last_modified: await timestampOf(device) });
    const light = await device.patch(path).set('Response-Behavior', 'light').send({ favorite: false }).expect(200);
    expect(light.body).toEqual({ favorite: false });
  });
});

describe('the checks of a PATCH come in this order', () => {
  const bad = { url: 'http://other/', archived: 'maybe', resolved_url: 'http://taken/' };

  it('credentials, the body, the record, the precondition, an empty body, read-only fields, values, conflicts', async () => {
    const { device, path } = await deviceWithOne();
    await device
      .post('/articles')
      .send(anArticle({ resolved_url: 'http://taken/' }))
      .expect(201);
    const gone = `/articles/${randomUUID()}`;
    const outcome = async (test: ReturnType<Client['patch']>) => {
      const { status, body } = await test;
      return [status, body.errno as unknown];
    };
    const broken = (target: string) => device.patch(target).set('Content-Type', 'application/json').send('{');
    expect(await outcome(broken(gone).set('Authorization', ''))).toEqual([401, 104]);
    expect(await outcome(broken(gone).set('If-Unmodified-Since', '1'))).toEqual([400, 106]);
    expect(await outcome(device.patch(gone).set('If-Unmodified-Since', 'x').send(bad))).toEqual([400, 107]);
    expect(await outcome(device.patch(gone).set('If-Unmodified-Since', '1').send(bad))).toEqual([404, 111]);
    expect(await outcome(device.patch('/articles/1').set('If-Unmodified-Since', '1').send(bad))).toEqual([404, 110]);
    expect(await outcome(device.patch(path).set('If-Unmodified-Since', '1').send(bad))).toEqual([412, 114]);
    expect(await outcome(device.patch(path).set('If-Unmodified-Since', '1'))).toEqual([412, 114]);
    expect(await outcome(device.patch(path))).toEqual([400, 108]);
    expect(await outcome(device.patch(path).send([bad]))).toEqual([400, 109]);
    const readOnly = await device.patch(path).send(bad).expect(400);
    expect(readOnly.body).toMatchObject({ errno: 109, message: 'url: is read-only' });
    const value = await device
      .patch(path)
      .send({ ...bad, url: undefined })
      .expect(400);
    expect(value.body).toMatchObject({ errno: 109, message: 'archived: not a boolean' });
    expect(await outcome(device.patch(path).send({ resolved_url: bad.resolved_url }))).toEqual([409, 122]);
  });
});

describe('simultaneous PATCHes', () => {
  it('of different fields are all kept, each with a timestamp of its own', async () => {
    const { device, path } = await deviceWithOne();
    const patches = [{ title: 'T' }, { excerpt: 'E' }, { favorite: true }, { archived: true }, { word_count: 9 }];
    const answers = await Promise.all(patches.map((patch) => device.patch(path).send(patch).expect(200)));
    const times = answers.map(({ body }) => body.last_modified as number);
    expect(new Set(times).size).toBe(patches.length);
    const { body } = await device.get(path).expect(200);
    expect(body).toMatchObject({ ...Object.assign({}, ...patches), last_modified: Math.max(...times) });
  });

  it('of a position keep the highest', async () => {
    const { device, path } = await deviceWithOne();
    await Promise.all([5, 9, 2, 7, 1].map((read_position) => device.patch(path).send({ read_position }).expect(200)));
    expect((await device.get(path).expect(200)).body.read_position).toBe(9);
  });

  it('that read an article record one reader', async () => {
    const { device, path } = await deviceWithOne();
    const readers = ['phone', 'tv', 'laptop', 'tablet'];
    const answers = await Promise.all(
      readers.map((marked_read_by) => device.patch(path).send({ unread: false, marked_read_by }).expect(200)),
    );
    expect(new Set(answers.map(({ body }) => body.marked_read_by as string)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.last_modified as number)).size).toBe(1);
  });
});
