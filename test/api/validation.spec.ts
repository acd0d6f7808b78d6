import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FieldKind, fieldsWhere } from '../../src/protocol/fields.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client } from '../support/client.js';

/** The fields of these kinds that a POST takes. */
const sent = (...kinds: FieldKind[]): readonly string[] =>
  fieldsWhere(({ kind, givenBy }) => givenBy !== 'server' && kinds.includes(kind));

const BOOLEANS = sent('boolean');
const INTEGERS = sent('integer', 'timestamp');
const TITLES = sent('title');
const URLS = sent('url');
const DEVICES = sent('device');
const LABELS = sent('label');
const READ_ONLY = ['url', 'preview', 'added_by', 'added_on'];

const notBoolean = ['', ' true', 'yes', 'on', 'null', '2', 2, -1, 0.5, [], {}, [true]];
const notInteger = [true, false, 1.5, -1, '', ' ', '1.5', '-1', '+1', '1e3', '0x10', 'many', [], [1], {}];
const tooLarge = [9_007_199_254_740_992, 1e300, '9007199254740992'];
const notText = [0, 1, true, false, [], ['a'], {}];
const notUrl = [
  'www.example.com',
  'example.com/x',
  '//example.com/x',
  '/x',
  'http:example.com',
  'http:/example.com',
  'javascript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'JAVASCRIPT:alert(1)',
  'data:text/html,x',
  'mailto:me@example.com',
  'about:blank',
  'vbscript:x',
];
const noHost = ['file:///x', 'http://', 'http:///x', 'http://?x', 'http://#x', 'http://:80/', 'http://me@/x'];
const blankInside = [
  'http://a/b c',
  'http://a/\tb',
  'http://a b/',
  'http://a/\u0001',
  'http://a/\u00a0',
  'http://a/\u2028',
];

/** Fields, values that none of them takes, and why. */
const RULES: [readonly string[], unknown[], string][] = [
  [BOOLEANS, notBoolean, 'not a boolean'],
  [INTEGERS, notInteger, 'not an integer >= 0'],
  [INTEGERS, tooLarge, 'integer out of range'],
  [[...TITLES, ...URLS, ...DEVICES, ...LABELS, 'excerpt'], notText, 'not a string'],
  [[...TITLES, ...URLS, ...DEVICES, ...LABELS, 'excerpt'], ['http://a/\0'], 'NUL character'],
  [TITLES, ['a'.repeat(1025), '😀'.repeat(1025)], 'longer than 1024 characters'],
  [DEVICES, ['', ' ', '\t\r\n'], 'empty device name'],
  [[...DEVICES, ...LABELS], ['a'.repeat(256), '😀'.repeat(256)], 'longer than 255 characters'],
  [URLS, notUrl, 'not an absolute URL with a host'],
  [URLS, noHost, 'a URL without a host'],
  [URLS, blankInside, 'white space or control character in a URL'],
  [URLS, [`http://a/${'x'.repeat(2040)}`], 'longer than 2048 characters'],
];
const CASES = RULES.flatMap(([fields, values, reason]) => fields.map((field) => ({ field, values, reason })));

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const refusal = (message: string) => ({ code: 400, errno: 109, error: 'Bad Request', message });

describe('a POST is refused with 400 / 109', () => {
  it.each(CASES)('$field: $reason', async ({ field, values, reason }) => {
    const device = client(app.url);
    for (const value of values) {
      const { body, status } = await device.post('/articles').send(anArticle({ [field]: value }));
      expect(status, JSON.stringify(value)).toBe(400);
      expect(body, JSON.stringify(value)).toMatchObject(refusal(`${field}: ${reason}`));
    }
    expect((await device.head('/articles')).headers['total-records']).toBe('0');
  });
});

describe('a PATCH is refused with 400 / 109', () => {
  const modifiable = CASES.filter(({ field }) => !READ_ONLY.includes(field));

  it.each(modifiable)('$field: $reason', async ({ field, values, reason }) => {
    const device = client(app.url);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    for (const value of values) {
      const sent = { ...(field.startsWith('marked_read') ? { unread: false } : {}), [field]: value };
      const { body, status } = await device.patch(`/articles/${article.id}`).send(sent);
      expect(status, JSON.stringify(value)).toBe(400);
      expect(body, JSON.stringify(value)).toMatchObject(refusal(`${field}: ${reason}`));
    }
    expect((await device.get(`/articles/${article.id}`)).body).toEqual(article);
  });
});

describe('a POST is refused with 400 / 108', () => {
  it.each([
    [{}, 'added_by: missing'],
    [{ url: 'http://a/', title: 'T' }, 'added_by: missing'],
    [{ url: 'http://a/', added_by: 'tv' }, 'title: missing'],
    [{ title: 'T', added_by: 'tv' }, 'url: missing'],
    [{ url: null, title: 'T', added_by: 'tv' }, 'url: missing'],
    [{ url: 'http://a/', title: 'T', added_by: null }, 'added_by: missing'],
  ])('for %j', async (sent, message) => {
    const { body } = await client(app.url).post('/articles').send(sent).expect(400);
    expect(body).toMatchObject({ code: 400, errno: 108, message });
  });
});

describe('of several wrong fields the first in alphabetical order is named', () => {
  it.each([
    [{ unread: 'maybe', archived: 'maybe' }, 109, 'archived: not a boolean'],
    [{ word_count: 'many', url: 'nowhere', title: 5 }, 109, 'title: not a string'],
    [{ word_count: 'many', url: undefined }, 108, 'url: missing'],
    [{ archived: 'maybe', url: undefined }, 109, 'archived: not a boolean'],
  ])('on POST of %j', async (fields, errno, message) => {
    const { body } = await client(app.url).post('/articles').send(anArticle(fields)).expect(400);
    expect(body).toMatchObject({ errno, message });
  });

  it.each([
    [{ unread: 'maybe', archived: 'maybe' }, 'archived: not a boolean'],
    [{ unread: false, title: 5, read_position: -1, marked_read_by: ' ' }, 'marked_read_by: empty device name'],
    [{ url: 'http://other/', added_by: 'other' }, 'added_by: is read-only'],
  ])('on PATCH of %j', async (fields, message) => {
    const device = client(app.url);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const { body } = await device.patch(`/articles/${article.id}`).send(fields).expect(400);
    expect(body).toMatchObject({ errno: 109, message });
  });
});

describe('a body that is not an object is refused with 400 / 109', () => {
  it.each(['[]', '[{}]', 'null', 'true', '0', '"text"'])('%s', async (text) => {
    const device = client(app.url);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    for (const test of [device.post('/articles'), device.patch(`/articles/${article.id}`)]) {
      const { body } = await test.set('Content-Type', 'application/json').send(text).expect(400);
      expect(body).toMatchObject({ errno: 109, message: 'The body is not a JSON object' });
    }
  });
});

describe('texts are measured in code points', () => {
  it.each([
    ['title', '😀'.repeat(1024)],
    ['resolved_title', '😀'.repeat(1024)],
    ['title', ` ${'a'.repeat(1024)}\n`],
    ['added_by', '😀'.repeat(255)],
    ['marked_read_by', '😀'.repeat(255)],
    ['url', `https://a/${'😀'.repeat(2038)}`],
    ['preview', `https://a/${'x'.repeat(2038)}`],
    ['excerpt', '😀'.repeat(16_000)],
  ])('%s may be as long as this', async (field, value) => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ [field]: value }))
      .expect(201);
    const read = await device.get(`/articles/${body.id}`).expect(200);
    expect(read.body[field]).toBe(value.trim());
  });
});

describe('an excerpt that is too long', () => {
  const longest = `${'a'.repeat(15_999)}😀`;

  it.each(['b', '😀'.repeat(400_000), '\ud83d'])('is stored without its end by a POST and a PATCH', async (end) => {
    const device = client(app.url);
    const created = await device.post('/articles').send(anArticle({ excerpt: longest + end }));
    expect([created.status, created.body.excerpt === longest]).toEqual([201, true]);
    const path = `/articles/${created.body.id}`;
    await device.patch(path).send({ excerpt: 'short' }).expect(200);
    const patched = await device.patch(path).send({ excerpt: longest + end });
    expect([patched.status, patched.body.excerpt === longest]).toEqual([200, true]);
    expect((await device.get(path).expect(200)).body).toEqual(patched.body);
    expect((await device.get('/articles').expect(200)).body.items).toEqual([patched.body]);
  });

  it('changes nothing when only the end differs, and a diff shows what is stored', async () => {
    const device = client(app.url);
    const { body } = await device
      .post('/articles')
      .send(anArticle({ excerpt: longest }))
      .expect(201);
    const patch = (behavior: string, excerpt: string) =>
      device.patch(`/articles/${body.id}`).set('Response-Behavior', behavior).send({ excerpt }).expect(200);
    expect((await patch('full', `${longest}b`)).body).toEqual(body);
    expect((await patch('light', `${longest}c`)).body).toEqual({});
    expect((await patch('diff', `${longest}d`)).body).toEqual({ excerpt: longest });
    expect((await patch('diff', longest)).body).toEqual({});
    expect((await device.get(`/articles/${body.id}`).expect(200)).body).toEqual(body);
  });

  it('is refused when its end has a NUL character', async () => {
    const posted = await client(app.url)
      .post('/articles')
      .send(anArticle({ excerpt: `${longest}\0` }))
      .expect(400);
    expect(posted.body).toMatchObject({ errno: 109, message: 'excerpt: NUL character' });
  });
});
