import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { committed } from '../../src/database/session.js';
import { newPersonalToken, personalTokenHash } from '../../src/auth/tokens/personal-tokens.js';
import { deleteTokens, findToken, insertToken } from '../../src/auth/tokens/personal-tokens.store.js';
import { startApp, type TestApp } from '../support/app.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { anArticle } from '../support/article.js';
import { basicAuthorization, clientWith } from '../support/client.js';
import { exchange } from './raw-http.js';

const HOUR_MS = 3_600_000;
/** Revocation has to be known everywhere within a few seconds. */
const REVOKED_MS = 4_000;

let shared: TestDatabase;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  shared = await createTestDatabase();
  app = await startApp({ OAUTH_URI: 'http://127.0.0.1:1' }, shared);
  other = await startApp({ OAUTH_URI: 'http://127.0.0.1:1' }, shared);
});
afterAll(async () => {
  await Promise.all([app.close(), other.close()]);
  await shared.drop();
});

/** What needs 403 / 121, with the member by which clients know that the token is good. */
const READ_ONLY = { code: 403, errno: 121, message: 'The access token is read-only', read_only: true };

interface Made {
  token: string;
  subject: string;
  name: string;
}

async function make(
  wish: { subject?: string; name?: string; expiresOn?: number; readOnly?: boolean } = {},
): Promise<Made> {
  const { subject = randomUUID(), name = 'phone', expiresOn = null, readOnly = null } = wish;
  const token = newPersonalToken();
  const row = { subject, name, token_hash: personalTokenHash(token), created_on: Date.now(), expires_on: expiresOn };
  await app.database.inTransaction((session) =>
    insertToken(session, { ...row, last_used_on: null, read_only: readOnly }).then(committed),
  );
  return { token, subject, name };
}

const device = (token: string, { url } = app) => clientWith(url, `Bearer ${token}`);
const revoke = ({ subject, name }: Made) => deleteTokens(app.database, subject, name);
const lastUse = async ({ token }: Made) =>
  (await app.database.onSession((session) => findToken(session, personalTokenHash(token))))?.last_used_on;

/** Resolves once the use of the token is noted, or was not for a while. */
async function noted(made: Made): Promise<number | null | undefined> {
  for (let tries = 0; tries < 200; tries++, await sleep(50)) if (typeof (await lastUse(made)) === 'number') break;
  return lastUse(made);
}

describe('a personal token', () => {
  it('opens the list on every instance, the batch included', async () => {
    const { token } = await make();
    const { body } = await device(token).post('/articles').send(anArticle()).expect(201);
    expect((await device(token, other).get('/articles').expect(200)).body.items).toEqual([body]);
    const requests = [{ method: 'GET', path: '/articles' }];
    const { body: batch } = await device(token, other).post('/batch').send({ requests }).expect(200);
    expect(batch.responses[0].body.items).toEqual([body]);
  });

  it('opens the same list as the other tokens of its user, and no other', async () => {
    const first = await make();
    const { body } = await device(first.token).post('/articles').send(anArticle()).expect(201);
    const second = await make({ subject: first.subject, name: 'laptop' });
    expect((await device(second.token).get('/articles').expect(200)).body.items).toEqual([body]);
    const foreign = await make({ subject: `${first.subject} ` });
    expect((await device(foreign.token).get('/articles').expect(200)).body.items).toEqual([]);
    const basic = basicAuthorization(first.subject, '');
    expect((await clientWith(app.url, basic).get('/articles').expect(200)).body.items).toEqual([]);
  });

  it('that was revoked is not told of what is new, though its poll was held before', async () => {
    const made = await make();
    const friend = await make({ subject: made.subject, name: 'laptop' });
    const since = (await device(made.token).head('/articles').expect(200)).headers['last-modified'] as string;
    const held = device(made.token)
      .get(`/articles?_since=${since}`)
      .set('If-Modified-Since', since)
      .set('Prefer', 'wait=20')
      .then((answer) => answer);
    await sleep(500);
    expect(await revoke(made)).toBe(1);
    await sleep(REVOKED_MS);
    await device(friend.token).post('/articles').send(anArticle()).expect(201);
    const { status, body } = await held;
    expect([status, body.errno, body.items]).toEqual([401, 105, undefined]);
  });

  it('is refused everywhere within seconds after it was revoked', async () => {
    const made = await make();
    for (const url of [app, other]) await device(made.token, url).get('/articles').expect(200);
    expect(await revoke(made)).toBe(1);
    await sleep(REVOKED_MS);
    for (const url of [app, other]) {
      const { body } = await device(made.token, url).get('/articles').expect(401);
      expect(body.errno).toBe(105);
    }
  });

  it('is refused from its expiry on', async () => {
    const expiresOn = Date.now() + 3_000;
    const { token } = await make({ expiresOn });
    await device(token).get('/articles').expect(200);
    await sleep(expiresOn + 100 - Date.now());
    expect((await device(token).get('/articles').expect(401)).body.errno).toBe(105);
    expect((await device(token, other).get('/articles').expect(401)).body.errno).toBe(105);
  });

  it('may be presented on several connections at once', async () => {
    const { token } = await make();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await device(token).get('/articles')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('is stored as a hash only', async () => {
    const { token } = await make();
    const rows = await app.database.onSession((session) => session.rows('SELECT * FROM tokens', []));
    const text = JSON.stringify(rows.map((row) => Object.values(row).map(String)));
    expect(text).not.toContain(token);
    expect(text).not.toContain(token.slice(3));
  });
});

describe('a read-only token', () => {
  it('reads, and writes nothing', async () => {
    const writer = await make();
    const reader = await make({ subject: writer.subject, name: 'mirror', readOnly: true });
    const { body: article } = await device(writer.token).post('/articles').send(anArticle()).expect(201);
    const before = await device(reader.token).get('/articles').expect(200);
    expect(before.body.items).toEqual([article]);
    const path = `/articles/${article.id}`;
    await device(reader.token).get(path).expect(200, article);
    await device(reader.token).head(path).expect(200);
    const attempts = [
      device(reader.token).post('/articles').send(anArticle()),
      device(reader.token).post('/articles').send({ url: article.url, title: 'known', added_by: 'x' }),
      device(reader.token).patch(path).send({ title: 'other' }),
      device(reader.token).patch(`/articles/${randomUUID()}`).send({}),
      device(reader.token).delete(path),
      device(reader.token).delete('/articles'),
    ];
    for (const attempt of attempts) expect((await attempt.expect(403)).body).toMatchObject(READ_ONLY);
    const after = await device(reader.token).get('/articles').expect(200);
    expect([after.body.items, after.headers['last-modified']]).toEqual([[article], before.headers['last-modified']]);
  });

  it('reads within a batch, and writes nothing there', async () => {
    const writer = await make();
    const reader = await make({ subject: writer.subject, name: 'mirror', readOnly: true });
    const { body: article } = await device(writer.token).post('/articles').send(anArticle()).expect(201);
    const path = `/articles/${article.id}`;
    const requests = [
      { method: 'GET', path },
      { method: 'POST', path: '/articles', body: anArticle() },
      { method: 'PATCH', path: `/v2${path}`, body: { title: 'other' } },
      { method: 'delete', path },
      { method: 'DELETE', path: '/articles' },
      { method: 'HEAD', path: '/articles' },
      { method: 'PUT', path },
    ];
    const { body } = await device(reader.token).post('/batch').send({ requests }).expect(200);
    const { responses } = body as { responses: { status: number; body: object }[] };
    expect(responses.map(({ status }) => status)).toEqual([200, 403, 403, 403, 403, 200, 405]);
    for (const refused of responses.slice(1, 5)) expect(refused.body).toMatchObject(READ_ONLY);
    expect((await device(writer.token).get('/articles').expect(200)).body.items).toEqual([article]);
  });

  it('is refused before the body is read', async () => {
    const { token } = await make({ readOnly: true });
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', { Authorization: `Bearer ${token}` });
    expect([status, JSON.parse(body)]).toMatchObject([403, READ_ONLY]);
  });
});

describe('its use', () => {
  it('is noted, and again after an hour', async () => {
    const made = await make();
    await device(made.token).get('/articles').expect(200);
    const first = await noted(made);
    expect(Math.abs(first! - Date.now())).toBeLessThan(60_000);
    const back = Date.now() - HOUR_MS;
    const sql = 'UPDATE tokens SET last_used_on = ? WHERE token_hash = ?';
    const setTo = (time: number) =>
      app.database.inTransaction((session) => session.run(sql, [time, personalTokenHash(made.token)]).then(committed));
    await setTo(back + 60_000);
    await device(made.token, other).get('/articles').expect(200);
    await sleep(300);
    expect(await lastUse(made)).toBe(back + 60_000);
  });

  it('is noted where a wrong clock had written a time to come', async () => {
    const made = await make();
    await app.database.inTransaction((session) =>
      session
        .run('UPDATE tokens SET last_used_on = ? WHERE subject = ?', [Date.now() + 48 * HOUR_MS, made.subject])
        .then(committed),
    );
    await device(made.token).get('/articles').expect(200);
    for (let tries = 0; tries < 200 && (await lastUse(made))! > Date.now(); tries++) await sleep(50);
    expect(await lastUse(made)).toBeLessThanOrEqual(Date.now());
  });
});

describe('401 / 105 without asking anybody', () => {
  it.each([
    'rl_',
    'rl_x',
    `rl_${'A'.repeat(42)}`,
    `rl_${'A'.repeat(44)}`,
    `rl_${'A'.repeat(42)}~`,
    `rl_${'A'.repeat(42)}=`,
    newPersonalToken(),
  ])('for %s', async (token) => {
    const { body, headers } = await device(token).get('/articles').expect(401);
    expect(body.errno).toBe(105);
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
    expect(JSON.stringify(body)).not.toContain(token.slice(3) || 'rl_');
  });

  it('for one in other case', async () => {
    const { token } = await make();
    await device(`rl_${token.slice(3).toUpperCase()}`)
      .get('/articles')
      .expect(401);
  });

  it('while others are asked about, who is away: 503 / 201', async () => {
    expect((await device('RL_other').get('/articles').expect(503)).body.errno).toBe(201);
  });
});

it('writes with a read-only token are counted, also in a batch, and beyond the limit they are 429', async () => {
  const strict = await startApp({ RATE_LIMIT_PER_MINUTE: '5' }, shared);
  const reader = device((await make({ readOnly: true })).token, strict);
  const write = async () => (await reader.post('/articles').send(anArticle())).status;
  expect([await write(), await write(), await write()]).toEqual([403, 403, 403]);
  const requests = Array.from({ length: 3 }, () => ({ method: 'DELETE', path: '/articles' }));
  const { body } = await reader.post('/batch').send({ requests }).expect(200);
  expect((body as { responses: { status: number }[] }).responses.map(({ status }) => status)).toEqual([403, 403, 429]);
  expect(await write()).toBe(429);
  await strict.close();
});

it('guesses are counted by address like all that is refused', async () => {
  const strict = await startApp({ RATE_LIMIT_PER_MINUTE: '3' });
  const statuses = [];
  for (let tries = 0; tries < 5; tries++)
    statuses.push((await device(newPersonalToken(), strict).get('/articles')).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  await strict.close();
});

it('are refused where they are switched off', async () => {
  const { token } = await make();
  const off = await startApp({ TOKENS_ENABLED: 'false' }, shared);
  const { body } = await device(token, off).get('/articles').expect(401);
  expect(body.errno).toBe(105);
  await off.close();
});

describe('without an identity provider', () => {
  let alone: TestApp;
  beforeAll(async () => {
    alone = await startApp(
      {
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://list.example.com',
        USER_ID_SECRET: 'u'.repeat(40),
        SESSION_SECRET: 's'.repeat(40),
      },
      shared,
    );
  });
  afterAll(() => alone.close());

  it('personal tokens open the list', async () => {
    const { token } = await make();
    await device(token, alone).get('/articles').expect(200);
  });

  it.each(['opaque', 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c'])('another bearer token is 401 / 105: %s', async (token) => {
    expect((await device(token, alone).get('/articles').expect(401)).body.errno).toBe(105);
  });

  it.each(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
      ['params', 'login?redirect=https://app.example.com/', 'token?code=a&state=b', 'unheard-of'].map(
        (path) => [method, path] as const,
      ),
    ),
  )('%s acct-oauth/%s is 404 / 111 and says why', async (method, path) => {
    const headers = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'content-length': '0',
    };
    const { status, body } = await exchange(alone.url, method, `/v2/acct-oauth/${path}`, headers);
    expect([status, JSON.parse(body)]).toMatchObject([
      404,
      { errno: 111, message: expect.stringContaining('OAUTH_URI') },
    ]);
  });

  it('the documentation is shown, and talks to the service only', async () => {
    const { status, headers } = await exchange(alone.url, 'GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://list.example.com;");
  });

  it('the heartbeat does not speak of one', async () => {
    const { body } = await exchange(alone.url, 'GET', '/__heartbeat__');
    expect(JSON.parse(body)).toEqual({ database: true });
  });
});
