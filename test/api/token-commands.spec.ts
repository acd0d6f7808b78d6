import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommanderError, InvalidArgumentError } from 'commander';
import { committed } from '../../src/database/session.js';
import { accountKey } from '../../src/auth/caller.js';
import { CommandError, Shell } from '../../src/commands/shell.js';
import { createProgram } from '../../src/commands/command-line.js';
import { readSettings } from '../../src/config/load-settings.js';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith } from '../support/client.js';

const DAY_MS = 86_400_000;
const NOW = 1_800_000_000_000;

let provider: DevelopmentProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  app = await startApp({ OAUTH_URI: provider.issuer });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** Runs a command on the service's database; resolves with what it printed. */
async function run(words: string[], variables: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  const shell = new Shell({
    settings: readSettings({ OAUTH_URI: provider.issuer, ...variables }),
    now: () => NOW,
    environment: {},
    print: (line) => Promise.resolve(lines.push(line) > 0),
    audit: () => undefined,
    progress: () => undefined,
    database: app.database,
  });
  await createProgram(shell).parseAsync(words, { from: 'user' });
  return lines;
}

const list = (...words: string[]) => run(['token', 'list', ...words]);
const revoke = (...words: string[]) => run(['token', 'revoke', ...words]);
const link = (...words: string[]) => run(['user', 'link', ...words]);
const create = async (user: string, name = 'phone', ...more: string[]) =>
  (await run(['token', 'create', user, '--name', name, '--quiet', ...more]))[0]!;
const device = (token: string) => clientWith(app.url, `Bearer ${token}`);

describe('token create', () => {
  it('prints a token that works, a link with it in the fragment, and a code of it', async () => {
    const user = randomUUID();
    const lines = await run(['token', 'create', user, '--name', 'phone'], { PUBLIC_URL: 'https://list.example.com' });
    expect(lines[0]).toMatch(/^rl_[\w-]{43}$/);
    expect(lines).toContain(`https://list.example.com/app/#token=${lines[0]!}`);
    expect(lines.at(-1)).toMatch(/^[ ▀▄█\n]{500,}$/);
    await device(lines[0]!).get('/articles').expect(200);
  });

  it.each([
    ['read and change the list', []],
    ['read the list', ['--read-only']],
  ])('says that whoever has the link can %s with %o', async (can, options) => {
    const lines = await run(['token', 'create', randomUUID(), '--name', 'x', ...options]);
    expect(lines.join('\n')).toContain(`whoever has it can ${can}:`);
  });

  it('makes no link where there is no web application', async () => {
    const lines = await run(['token', 'create', randomUUID(), '--name', 'x'], { WEB_APP_ENABLED: 'false' });
    expect(lines.join('\n')).not.toMatch(/app|█/);
  });

  it('gives each token another secret, and a user no two of one name', async () => {
    const user = randomUUID();
    const first = await create(user);
    await expect(create(user)).rejects.toThrow(/already has a token "phone"/);
    expect(await create(user, 'Phone')).not.toBe(first);
    expect(await create(`${user}x`)).not.toBe(first);
    await device(first).get('/articles').expect(200);
  });

  it.each([
    ['12h', NOW + DAY_MS / 2],
    ['90d', NOW + 90 * DAY_MS],
    ['4w', NOW + 28 * DAY_MS],
  ])('ends it after %s', async (expires, until) => {
    const user = randomUUID();
    await create(user, 'phone', '--expires', expires);
    expect(JSON.parse((await list(user, '--json'))[0]!)).toEqual({
      user,
      name: 'phone',
      created_on: NOW,
      expires_on: until,
      last_used_on: null,
      read_only: false,
    });
  });

  it('makes one that may only read, as the list says', async () => {
    const user = randomUUID();
    const token = await create(user, 'mirror', '--read-only');
    await device(token).get('/articles').expect(200);
    await device(token).post('/articles').send(anArticle()).expect(403);
    expect(JSON.parse((await list(user, '--json'))[0]!)).toMatchObject({ read_only: true });
    expect((await list(user))[0]).toMatch(/ {2}read-only$/);
  });

  it.each<[string, string[]]>([
    ['no user', []],
    ['two users', ['a', 'b']],
    ['an empty user', ['']],
    ['a user with a blank at the end', ['alice ']],
    ['a user of two lines', ['a\nb']],
    ['a user with what cannot be seen', ['ali\u200bce']],
    ['a user that is too long', ['a'.repeat(256)]],
    ['an empty name', ['alice', '--name', '']],
    ['a name that changes the direction', ['alice', '--name', 'a\u202eb']],
    ['no time', ['alice', '--expires', '']],
    ['a time without a unit', ['alice', '--expires', '90']],
    ['a time of zero', ['alice', '--expires', '0d']],
    ['a time before now', ['alice', '--expires', '-1d']],
    ['a time in other units', ['alice', '--expires', '3y']],
    ['a time that is too long', ['alice', '--expires', '99999d']],
    ['the next option in the place of a name', ['alice', '--name', '--quiet']],
  ])('is called wrongly with %s', async (_, words) => {
    await expect(run(['token', 'create', '--name', 'phone', ...words])).rejects.toThrow(CommanderError);
  });

  it('is called wrongly without a name, and useless where tokens are switched off', async () => {
    await expect(run(['token', 'create', 'alice'])).rejects.toThrow(CommanderError);
    const off = { TOKENS_ENABLED: 'false' };
    await expect(run(['token', 'create', 'alice', '--name', 'a'], off)).rejects.toThrow(/TOKENS_ENABLED/);
  });

  it('takes names of any script, 255 characters long', async () => {
    const user = `${'Ж😀'.repeat(110)}${randomUUID().slice(0, 8)}`;
    const token = await create(user, '手机');
    await device(token).get('/articles').expect(200);
    expect((await list(user))[0]).toContain(`${user}  手机  created 2027-01-15`);
  });
});

describe('token list', () => {
  it('shows the tokens of one user or of all, and no secret', async () => {
    const user = randomUUID();
    const tokens = [await create(user, 'phone'), await create(user, 'laptop', '--expires', '1d')];
    const own = await list(user);
    expect(own).toEqual([
      expect.stringMatching(/laptop .* until 2027-01-16T08:00Z {2}never used$/),
      expect.stringMatching(/phone .* never expires {2}never used$/),
    ]);
    expect(await list()).toEqual(expect.arrayContaining(own));
    for (const token of tokens) expect(own.join()).not.toContain(token.slice(3));
    expect(await list(randomUUID())).toEqual(['there are no tokens']);
  });
});

describe('token revoke', () => {
  it('ends one token, or all of a user', async () => {
    const user = randomUUID();
    const [phone, laptop, other] = [await create(user), await create(user, 'laptop'), await create(`${user}x`)];
    expect(await revoke(user, '--name', 'phone')).toEqual([`revoked 1 token of ${user}`]);
    await device(phone).get('/articles').expect(401);
    await device(laptop).get('/articles').expect(200);
    await create(user);
    expect(await revoke(user, '--all')).toEqual([`revoked 2 tokens of ${user}`]);
    await device(other).get('/articles').expect(200);
  });

  it('says when there is none', async () => {
    await expect(revoke(randomUUID(), '--name', 'phone')).rejects.toThrow(CommandError);
    await expect(revoke(randomUUID(), '--all')).rejects.toThrow(CommandError);
    await expect(revoke('a')).rejects.toThrow(InvalidArgumentError);
    await expect(revoke('a', '--all', '--name', 'b')).rejects.toThrow(CommanderError);
  });
});

describe('user link', () => {
  it(
    'moves everything to the user of the provider, and devices go on where they were',
    { timeout: 30_000 },
    async () => {
      const [user, subject] = [randomUUID(), randomUUID()];
      const old = device(await create(user));
      const made = [];
      for (let count = 0; count < 3; count++)
        made.push((await old.post('/articles').send(anArticle()).expect(201)).body as { id: string });
      await old.delete(`/articles/${made[0]!.id}`).expect(200);
      const since = (await old.get('/articles').expect(200)).headers['last-modified']!;
      const state = (await old.get('/articles?_since=1').expect(200)).body as unknown;
      expect(await link(user, '--subject', subject, '--dry-run')).toEqual([
        expect.stringMatching(/^would move 2 articles/),
      ]);
      expect(await link(user, '--subject', subject)).toEqual([
        expect.stringMatching(/^moved 3 articles and tombstones .* 1 token revoked$/),
      ]);
      await old.get('/articles').expect(401);
      const now = device(await provider.issue(subject));
      const delta = await now.get(`/articles?_since=${since}`).expect(200);
      expect([delta.body.items, delta.headers['last-modified'], delta.headers['start-over']]).toEqual([
        [],
        since,
        undefined,
      ]);
      expect((await now.get('/articles?_since=1').expect(200)).body).toEqual(state);
      const [again] = await run(['token', 'create', user, '--name', 'new', '--quiet']);
      expect((await device(again!).get('/articles').expect(200)).body.items).toEqual([]);
    },
  );

  it('tells devices that met an empty list to start over', { timeout: 30_000 }, async () => {
    const [user, subject] = [randomUUID(), randomUUID()];
    const old = device(await create(user));
    await old.post('/articles').send(anArticle()).expect(201);
    const now = device(await provider.issue(subject));
    const since = (await now.get('/articles').expect(200)).headers['last-modified']!;
    await link(user, '--subject', subject);
    const { headers } = await now.get(`/articles?_since=${since}`).expect(200);
    expect(headers['start-over']).toBe('true');
    expect((await now.get('/articles').expect(200)).body.items).toHaveLength(1);
    expect((await now.post('/articles').send(anArticle()).expect(201)).body.last_modified).toBeGreaterThan(
      Number(since),
    );
  });

  it('waits for requests of tokens that were revoked a moment ago', { timeout: 30_000 }, async () => {
    const user = randomUUID();
    await device(await create(user))
      .post('/articles')
      .send(anArticle())
      .expect(201);
    await revoke(user, '--all');
    const revoked = performance.now();
    await link(user, '--subject', randomUUID());
    expect(performance.now() - revoked).toBeGreaterThan(5_000);
  });

  it('changes nothing when that user has records, be it a tombstone', async () => {
    const [user, subject] = [randomUUID(), randomUUID()];
    const old = device(await create(user));
    await old.post('/articles').send(anArticle()).expect(201);
    const now = device(await provider.issue(subject));
    const { body } = await now.post('/articles').send(anArticle()).expect(201);
    await now.delete(`/articles/${body.id}`).expect(200);
    await expect(link(user, '--subject', subject)).rejects.toThrow(/has records already/);
    expect((await old.get('/articles').expect(200)).body.items).toHaveLength(1);
    expect((await now.get('/articles').expect(200)).body.items).toEqual([]);
  });

  it('is refused when one of the two users is deprovisioned', async () => {
    const [user, subject] = [randomUUID(), randomUUID()];
    await device(await create(user))
      .post('/articles')
      .send(anArticle())
      .expect(201);
    for (const leaving of [user, subject]) {
      await run(['user', 'deprovision', leaving, '--erase-after', '30']);
      for (const also of [[], ['--dry-run']])
        await expect(link(user, '--subject', subject, ...also)).rejects.toThrow(/ is deprovisioned; /);
      await run(['user', 'deprovision', leaving, '--undo']);
    }
    expect((await link(user, '--subject', subject, '--dry-run'))[0]).toMatch(/^would move 1 article/);
  });

  it('needs a user, a subject and a provider', async () => {
    await expect(link(randomUUID(), '--subject', 'x')).rejects.toThrow(/has no list/);
    await expect(link('alice')).rejects.toThrow(CommanderError);
    await expect(link('--subject', 'x')).rejects.toThrow(CommanderError);
  });

  it('moves more than fits into one statement', { timeout: 30_000 }, async () => {
    const [user, subject] = [randomUUID(), randomUUID()];
    const settings = readSettings({});
    const [from, to] = [
      accountKey(settings.userIdSecret, 'bearer', ['local', user]),
      accountKey(settings.userIdSecret, 'bearer', [provider.issuer, subject]),
    ];
    await app.database.inTransaction(async (session) => {
      const account = 'INSERT INTO accounts (account, last_modified, live_count, purged_until) VALUES (?, ?, 0, 0)';
      await session.run(account, [from, 5_000]);
      const tombstone = 'INSERT INTO articles (account, id, last_modified, deleted) VALUES (?, ?, ?, 1)';
      for (let count = 1; count <= 1_201; count++)
        await session.run(tombstone, [from, Buffer.from(randomUUID().replaceAll('-', ''), 'hex'), count]);
      return committed(undefined);
    });
    expect((await link(user, '--subject', subject))[0]).toMatch(/^moved 1201 /);
    const rows = await app.database.onSession((session) =>
      session.rows('SELECT account FROM accounts WHERE account IN (?, ?)', [from, to]),
    );
    expect(rows.map(({ account }) => (account as Buffer).toString('hex'))).toEqual([to.toString('hex')]);
  });
});
