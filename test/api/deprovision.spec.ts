import { randomUUID } from 'node:crypto';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { accountKey } from '../../src/auth/caller.js';
import { CommandError, Shell } from '../../src/commands/shell.js';
import { createProgram } from '../../src/commands/command-line.js';
import { readSettings } from '../../src/config/load-settings.js';
import { PurgeSchedule } from '../../src/purge/purge-schedule.js';
import { eraseUser } from '../../src/purge/purge.store.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const DAY_MS = 86_400_000;
/** Every instance has to know within a few seconds. */
const KNOWN = { timeout: 10_000, interval: 250 };

let shared: TestDatabase;
let provider: DevelopmentProvider;
let instances: TestApp[];
beforeAll(async () => {
  shared = await createTestDatabase();
  provider = await startDevelopmentProvider({ port: 0 });
  const start = () => startApp({ OAUTH_URI: provider.issuer }, shared);
  instances = [await start(), await start()];
});
afterAll(async () => {
  for (const app of instances) await app.close();
  await provider.close();
  await shared.drop();
});

const run = (...words: string[]) => command('user', 'deprovision', ...words);
const runToken = (...words: string[]) => command('token', ...words);

async function command(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const shell = new Shell({
    settings: readSettings({ OAUTH_URI: provider.issuer }),
    print: (line) => Promise.resolve(lines.push(line) > 0),
    audit: () => undefined,
    progress: () => undefined,
    database: instances[0]!.database,
  });
  await createProgram(shell).parseAsync(words, { from: 'user' });
  return lines;
}

const device = (token: string, { url } = instances[0]!) => clientWith(url, `Bearer ${token}`);
/** What each instance answers to the token. */
const statuses = (token: string) =>
  Promise.all(instances.map(async (app) => (await device(token, app).get('/articles')).status));
const titles = async (token: string) => {
  const { body } = await device(token).get('/articles').expect(200);
  return (body as { items: { title: string }[] }).items.map(({ title }) => title);
};

it("ends the provider's tokens of a user on all instances, until it is undone, and keeps the list", async () => {
  const [user, friend] = [randomUUID(), randomUUID()];
  const [token, other] = [await provider.issue(user), await provider.issue(friend)];
  await device(token)
    .post('/articles')
    .send(anArticle({ title: 'Kept' }))
    .expect(201);
  expect(await statuses(token)).toEqual([200, 200]);
  expect((await run(user))[0]).toBe(
    `deprovisioned ${user}: all tokens are refused, 0 personal tokens revoked; the list is kept`,
  );
  await expect.poll(() => statuses(token), KNOWN).toEqual([401, 401]);
  const { body } = await device(token).get('/articles').expect(401);
  expect(body).toMatchObject({ errno: 105, message: 'The access token is refused: its user is deprovisioned' });
  expect(await statuses(await provider.issue(user))).toEqual([401, 401]);
  await device(token).post('/batch').send({ requests: [] }).expect(401);
  expect(await statuses(other)).toEqual([200, 200]);
  await run(user, '--undo');
  await expect.poll(() => statuses(token), KNOWN).toEqual([200, 200]);
  expect(await titles(token)).toEqual(['Kept']);
});

it('revokes personal tokens, and none is made until it is undone', async () => {
  const user = randomUUID();
  const create = async () => (await runToken('create', user, '--name', 'phone', '--quiet'))[0]!;
  const token = await create();
  expect(await statuses(token)).toEqual([200, 200]);
  expect((await run(user))[0]).toContain(' 1 personal token revoked');
  await expect.poll(() => statuses(token), KNOWN).toEqual([401, 401]);
  await expect(create()).rejects.toThrow(/is deprovisioned/);
  await run(user, '--undo');
  const again = await create();
  await expect.poll(() => statuses(again), KNOWN).toEqual([200, 200]);
});

it('erases the list when it is time, and nothing before or of others', async () => {
  const [user, friend] = [randomUUID(), randomUUID()];
  const [token, other] = [await provider.issue(user), await provider.issue(friend)];
  for (const each of [token, other])
    await device(each)
      .post('/articles')
      .send(anArticle({ title: 'Mine' }))
      .expect(201);
  const erase = () => Promise.all(instances.map(({ nest }) => nest.get(PurgeSchedule).eraseUsers()));
  expect((await run(user, '--erase-after', '2'))[0]).toMatch(/; the list is erased after 2\d{3}-/);
  await erase();
  await run(user, '--undo');
  await expect.poll(() => statuses(token), KNOWN).toEqual([200, 200]);
  expect(await titles(token)).toEqual(['Mine']);
  await run(user, '--erase-after', '2');
  for (const app of instances) app.setClock(Date.now() + 2 * DAY_MS + 1_000);
  await erase();
  for (const app of instances) app.setClock(undefined);
  await expect.poll(() => statuses(token), KNOWN).toEqual([401, 401]);
  expect(await titles(other)).toEqual(['Mine']);
  await run(user, '--undo');
  await expect.poll(() => statuses(token), KNOWN).toEqual([200, 200]);
  expect(await titles(token)).toEqual([]);
});

it('makes devices start over when the erasure is broken off', async () => {
  const user = randomUUID();
  const { get, post } = device(await provider.issue(user));
  const defaults = { method: 'POST', path: '/articles' };
  for (let batch = 0; batch < 9; batch++)
    await post('/batch')
      .send({ defaults, requests: Array.from({ length: 25 }, () => ({ body: anArticle() })) })
      .expect(200);
  const since = (await get('/articles').expect(200)).headers['last-modified'] as string;
  const account = accountKey(readSettings({}).userIdSecret, 'bearer', [provider.issuer, user]);
  for await (const erased of eraseUser(instances[0]!.database, account)) {
    expect(erased).toBe(200);
    break;
  }
  const changes = await get(`/articles?_since=${since}`).set('If-Modified-Since', since).expect(200);
  expect(changes.headers).toMatchObject({ 'start-over': 'true', 'total-records': '0' });
  expect((await get('/articles').expect(200)).headers['total-records']).toBe('25');
});

it.each([
  [[]],
  [['']],
  [['alice', '--erase-after', 'soon']],
  [['alice', '--erase-after', '-1']],
  [['alice', '--erase-after', '40000']],
  [['alice', '--undo', '--erase-after', '1']],
])('is called wrongly with %j', async (words) => {
  await expect(run(...words)).rejects.toThrow(CommanderError);
});

it('has nothing to undo for a user who is not deprovisioned', async () => {
  await expect(run(randomUUID(), '--undo')).rejects.toThrow(CommandError);
});
