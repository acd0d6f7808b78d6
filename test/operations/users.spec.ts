import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountKey } from '../../src/auth/caller.js';
import type { TestDatabase } from '../support/database.js';
import { fullState, Poller, send } from '../support/devices.js';
import { startService, type Service } from '../support/service.js';
import { BACKENDS } from './backends.js';
import { mustRun, mustRunHere, runHere } from './run-command.js';

describe.each(Object.keys(BACKENDS))('commands about users on %s', (name) => {
  let database: TestDatabase;
  let service: Service;
  let settings: Record<string, string>;

  beforeAll(async () => {
    database = await BACKENDS[name]!();
    settings = { DATABASE_URL: database.url, BASIC_PASSWORD: 'secret' };
    service = await startService({ ...settings, MIGRATE_ON_START: 'true' });
  });

  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  const ask = (user: string, method: string, path: string, body?: unknown) =>
    send(service.url, user, method, path, body);
  const clockOf = async (user: string) => (await ask(user, 'HEAD', '/articles')).headers.get('last-modified');

  /** A list with articles of every kind, changed and deleted ones. */
  async function furnish(user: string): Promise<void> {
    const create = async (at: number) => {
      const article = { url: `https://example.com/${at}?ü=😀`, title: at % 9 ? `T ${at} 😀` : null, added_by: 'test' };
      return (await ask(user, 'POST', '/articles', { ...article, word_count: at, excerpt: '"\n,\\' })).body.id;
    };
    const created: string[] = [];
    while (created.length < 250)
      created.push(...(await Promise.all(Array.from({ length: 25 }, (_, at) => create(created.length + at)))));
    for (const id of created.slice(0, 20)) await ask(user, 'DELETE', `/articles/${id}`);
    const change = { unread: false, marked_read_by: 'phone', marked_read_on: 5, favorite: true, title: 'changed' };
    for (const id of created.slice(20, 40)) await ask(user, 'PATCH', `/articles/${id}`, change);
  }

  if (name === 'SQLite')
    it('erase leaves nothing of a list in the file, nor in a backup of it', async () => {
      const user = randomUUID();
      const secret = randomUUID();
      for (let at = 0; at < 30; at++) {
        const article = {
          url: `https://${secret}.example/${at}`,
          title: 'T',
          added_by: 'test',
          excerpt: secret.repeat(100),
        };
        expect((await ask(user, 'POST', '/articles', article)).status).toBe(201);
      }
      const copies = mkdtempSync(join(tmpdir(), 'reading-list-'));
      const holds = async (file: string): Promise<boolean> => {
        await mustRunHere(['backup', join(copies, file)], settings);
        return readFileSync(join(copies, file)).includes(secret);
      };
      expect(await holds('before')).toBe(true);
      await mustRunHere(['user', 'erase', '--basic', user], settings);
      expect(await holds('after')).toBe(false);
    });

  it('export, erase and import give back the same articles, tombstones and timestamps', async () => {
    const user = randomUUID();
    await furnish(user);
    const [before, clock] = [await fullState(service.url, user), await clockOf(user)];
    expect(before.size).toBe(250);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    expect(exported.trim().split('\n')).toHaveLength(251);
    expect(await mustRunHere(['user', 'erase', '--basic', user, '--dry-run'], settings)).toMatch(/^would erase 230 /);
    expect(await mustRunHere(['user', 'erase', '--basic', user], settings)).toMatch(/^erased 250 /);
    expect((await runHere(['user', 'export', '--basic', user], settings)).status).toBe(1);
    expect(await mustRunHere(['user', 'import', '-', '--dry-run'], settings, exported)).toMatch(
      /^would import 250 .* 1 user, 0 are already there/,
    );
    expect(await mustRunHere(['user', 'import', '-'], settings, exported)).toMatch(/^imported 250 /);
    expect(await fullState(service.url, user)).toEqual(before);
    expect(await clockOf(user)).toBe(clock);
    expect((await ask(user, 'GET', '/articles')).headers.get('total-records')).toBe('230');
    expect(await mustRunHere(['user', 'import', '-'], settings, exported)).toMatch(
      /^imported 0 .* 250 were already there/,
    );
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('an import restores as many articles as are allowed, and the rest when it is repeated with a higher limit', async () => {
    const user = randomUUID();
    for (const host of ['a', 'b', 'c', 'd'])
      await ask(user, 'POST', '/articles', { url: `https://${host}.example/`, title: host, added_by: 'test' });
    const [first] = (await ask(user, 'GET', '/articles?_sort=last_modified')).body.items;
    await ask(user, 'DELETE', `/articles/${first!.id}`);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    const limited = { ...settings, MAX_ARTICLES_PER_USER: '2' };
    const leftOut = 'left out, as a user has at most MAX_ARTICLES_PER_USER (2): 1 article; raise it and repeat\n';
    expect(await runHere(['user', 'import', '-', '--dry-run'], limited, exported)).toMatchObject({
      status: 3,
      out: `would import 3 articles and tombstones of 1 user, 0 are already there\n${leftOut}`,
    });
    expect(await runHere(['user', 'import', '-'], limited, exported)).toMatchObject({
      status: 3,
      out: `imported 3 articles and tombstones of 1 user, 0 were already there\n${leftOut}`,
    });
    const poller = new Poller([service.url], user);
    await poller.poll();
    expect([...poller.items.values()].filter(({ deleted }) => !deleted)).toHaveLength(2);
    expect(await mustRunHere(['user', 'import', '-'], settings, exported)).toMatch(/^imported 1 /);
    await poller.poll();
    expect(poller.items).toEqual(await fullState(service.url, user));
    expect([...poller.items.values()].filter(({ deleted }) => !deleted)).toHaveLength(3);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('an import that was cut off goes on when it is repeated', async () => {
    const user = randomUUID();
    await furnish(user);
    const before = await fullState(service.url, user);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    const cut = await runHere(['user', 'import', '-'], settings, exported.slice(0, exported.length * 0.7));
    expect(cut.status).toBe(1);
    expect(cut.err).toMatch(/^line \d+: not JSON; 100 articles and tombstones were imported before, and .* repeated$/m);
    await mustRunHere(['user', 'import', '-'], settings, exported);
    expect(await fullState(service.url, user)).toEqual(before);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('a device that reads while an import is interrupted misses nothing of the rest', async () => {
    const user = randomUUID();
    await furnish(user);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    await runHere(['user', 'import', '-'], settings, exported.slice(0, exported.length * 0.7));
    const poller = new Poller([service.url], user);
    await poller.poll();
    expect(poller.items.size).toBeGreaterThan(0);
    await mustRunHere(['user', 'import', '-'], settings, exported);
    await poller.poll();
    expect(poller.items).toEqual(await fullState(service.url, user));
  });

  it('an import brings what is older than the list as new changes, and the rest as it was', async () => {
    const [user, other] = [randomUUID(), randomUUID()];
    const save = (who: string, host: string) =>
      ask(who, 'POST', '/articles', { url: `https://${host}.example/`, title: host, added_by: 'test' });
    await save(user, 'older');
    await save(other, 'own');
    const poller = new Poller([service.url], other);
    await poller.poll();
    const later = (await save(user, 'later')).body;
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    const words = ['user', 'import', '-', '--basic', other];
    expect(await mustRunHere(words, settings, exported)).toMatch(/^imported 2 .* 0 were already there/);
    expect(await mustRunHere(words, settings, exported)).toMatch(/^imported 0 .* 2 were already there/);
    await poller.poll();
    expect(poller.items).toEqual(await fullState(service.url, other));
    expect(poller.items.size).toBe(3);
    expect(poller.items.get(later.id)).toEqual(later);
    expect(await mustRunHere(['doctor', '--basic', other], settings)).toMatch(/ 0 problems/);
  });

  it('an import tells devices of the deletions that it brings into a list that began anew', async () => {
    const user = randomUUID();
    const save = async (host: string) =>
      (await ask(user, 'POST', '/articles', { url: `https://${host}.example/`, title: host, added_by: 'test' })).body;
    await save('kept');
    const gone = await save('gone');
    const offline = new Poller([service.url], user);
    await offline.poll();
    await ask(user, 'DELETE', `/articles/${gone.id}`);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    await mustRunHere(['user', 'import', '-'], settings, exported.split('\n')[0]);
    await save('meanwhile');
    await mustRunHere(['user', 'import', '-'], settings, exported);
    await offline.poll();
    const live = [...offline.items.values()].filter(({ deleted }) => !deleted).map(({ title }) => title);
    expect(live.sort()).toEqual(['kept', 'meanwhile']);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('an import takes the last of two forms that a file has of a record', async () => {
    const [user, other] = [randomUUID(), randomUUID()];
    const save = async (host: string) =>
      (await ask(user, 'POST', '/articles', { url: `https://${host}.example/`, title: host, added_by: 'test' })).body;
    const [changed, deleted] = [await save('changed'), await save('deleted')];
    const before = await mustRunHere(['user', 'export', '--basic', user], settings);
    await ask(user, 'PATCH', `/articles/${changed.id}`, { title: 'new' });
    await ask(user, 'DELETE', `/articles/${deleted.id}`);
    const [, ...after] = (await mustRunHere(['user', 'export', '--basic', user], settings)).split('\n');
    await ask(other, 'POST', '/articles', { url: 'https://own.example/', title: 'own', added_by: 'test' });
    const poller = new Poller([service.url], other);
    await poller.poll();
    await mustRunHere(['user', 'import', '-', '--basic', other], settings, before + after.join('\n'));
    await poller.poll();
    expect(poller.items).toEqual(await fullState(service.url, other));
    expect(poller.items.get(changed.id)).toMatchObject({ title: 'new' });
    expect(poller.items.get(deleted.id)).toMatchObject({ deleted: true });
    expect(await mustRunHere(['doctor', '--basic', other], settings)).toMatch(/ 0 problems/);
  });

  it('an import takes the newer version of a record, as a new change', async () => {
    const user = randomUUID();
    const article = (
      await ask(user, 'POST', '/articles', { url: 'https://a.example/', title: 'old', added_by: 'test' })
    ).body;
    const older = await mustRunHere(['user', 'export', '--basic', user], settings);
    await ask(user, 'PATCH', `/articles/${article.id}`, { title: 'new' });
    const newer = await mustRunHere(['user', 'export', '--basic', user], settings);
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    await mustRunHere(['user', 'import', '-'], settings, older);
    await ask(user, 'POST', '/articles', { url: 'https://b.example/', title: 'meanwhile', added_by: 'test' });
    const poller = new Poller([service.url], user);
    await poller.poll();
    expect(await mustRunHere(['user', 'import', '-'], settings, newer)).toMatch(/^imported 1 /);
    await poller.poll();
    expect(poller.items.get(article.id)).toMatchObject({ title: 'new' });
    expect(poller.items.get(article.id)!.last_modified).toBeGreaterThan(article.last_modified);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('an import gives one of two records with the same timestamp another one', async () => {
    const user = randomUUID();
    await ask(user, 'POST', '/articles', { url: 'https://a.example/', title: 'a', added_by: 'test' });
    const [account, line] = (await mustRunHere(['user', 'export', '--basic', user], settings)).trim().split('\n');
    const article = JSON.parse(line!) as Record<string, unknown>;
    const url = 'https://b.example/';
    const twin = JSON.stringify({ ...article, id: randomUUID(), url, resolved_url: url });
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    expect(await mustRunHere(['user', 'import', '-'], settings, [account, line, twin].join('\n'))).toMatch(
      /^imported 2 /,
    );
    expect((await fullState(service.url, user)).get(article.id as string)).toEqual(article);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('an import of several users for one is refused, and stores none of them', async () => {
    const users = [randomUUID(), randomUUID()];
    for (const user of users)
      await ask(user, 'POST', '/articles', { url: `https://example.com/${user}`, title: 'T', added_by: 'x' });
    const exported = await Promise.all(users.map((user) => mustRunHere(['user', 'export', '--basic', user], settings)));
    const refused = await runHere(['user', 'import', '-', '--local', users[0]!], settings, exported.join(''));
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^line 3: another user; leave out the user to import them all; 0 articles /);
    expect((await runHere(['user', 'export', '--local', users[0]!], settings)).err).toContain('there is no such user');
  });

  it('an import into a list that went on adds what is missing as new changes', async () => {
    const [user, other] = [randomUUID(), randomUUID()];
    await furnish(user);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    const kept = await ask(other, 'POST', '/articles', {
      url: 'https://example.com/100?ü=😀',
      title: 'mine',
      added_by: 'x',
    });
    const clock = Number(await clockOf(other));
    expect(await mustRunHere(['user', 'import', '-', '--basic', other], settings, exported)).toMatch(/^imported 229 /);
    const { body } = await ask(other, 'GET', `/articles?_since=${clock}&_limit=100`);
    expect(body.items).toHaveLength(100);
    expect((await ask(other, 'GET', `/articles/${kept.body.id}`)).body.title).toBe('mine');
    expect((await fullState(service.url, user)).size).toBe(250);
    expect(await mustRunHere(['doctor', '--basic', other], settings)).toMatch(/ 0 problems/);
  });

  it('an import into the list itself, which went on, adds only what is missing', async () => {
    const user = randomUUID();
    await furnish(user);
    const exported = await mustRunHere(['user', 'export', '--basic', user], settings);
    const [newest] = (await ask(user, 'GET', '/articles')).body.items;
    await ask(user, 'DELETE', `/articles/${newest!.id}`);
    const words = ['user', 'import', '-', '--basic', user];
    expect(await mustRunHere([...words, '--dry-run'], settings, exported)).toMatch(
      /^would import 1 .* 249 are already there/,
    );
    expect(await mustRunHere(words, settings, exported)).toMatch(/^imported 1 .* 249 were already there/);
    expect((await ask(user, 'GET', '/articles?_limit=1')).body.items[0]!.url).toBe(newest!.url);
    expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
  });

  it('user list shows every user by key', async () => {
    const user = randomUUID();
    await ask(user, 'POST', '/articles', { url: 'https://example.com/', title: 'T', added_by: 'x' });
    const key = /^{"account":"([0-9a-f]{32})"/.exec(
      await mustRunHere(['user', 'export', '--basic', user], settings),
    )![1]!;
    expect(await mustRunHere(['user', 'list'], settings)).toMatch(new RegExp(`^${key}       1 \\d{4}-`, 'm'));
    const lines = (await mustRunHere(['user', 'list', '--json'], settings)).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { account: string }).account)).toContain(key);
    expect(await mustRunHere(['user', 'export', '--key', key], settings)).toContain('https://example.com/');
  });

  it('a Basic user is found by the password on standard input as well', async () => {
    const user = randomUUID();
    await ask(user, 'GET', '/articles');
    const exported = await mustRun(['user', 'export', '--basic', user], { DATABASE_URL: database.url }, 'secret\n');
    expect(exported).toContain('"live_count":0');
  });

  it('a user of the identity provider is found by issuer and subject', async () => {
    const env = { ...settings, OAUTH_URI: 'https://id.example.com', USER_ID_SECRET: 's'.repeat(40) };
    const key = accountKey(env.USER_ID_SECRET, 'bearer', ['https://id.example.com', 'alice']).toString('hex');
    const line = JSON.stringify({ account: 'a'.repeat(32), last_modified: 5, purged_until: 0 });
    await mustRunHere(['user', 'import', '-', '--subject', 'alice'], env, line);
    expect(await mustRunHere(['user', 'list'], env)).toContain(key);
    const words = ['user', 'export', '--issuer', 'https://id.example.com', '--subject', 'alice'];
    expect(await mustRunHere(words, { ...env, OAUTH_URI: 'https://other.example.com' })).toContain(key);
    await mustRunHere(['user', 'erase', '--key', key], env);
  });

  describe('import of other services', () => {
    const sample = (file: string) => readFileSync(`test/operations/samples/${file}`, 'utf8');
    const all = async (user: string) => {
      const { body } = await ask(user, 'GET', '/articles?_sort=added_on');
      return body.items.map(({ url, title, added_on, unread, archived, favorite, excerpt, added_by }) => [
        url,
        title,
        added_on,
        { unread, archived, favorite, excerpt, added_by },
      ]);
    };
    const plain = { unread: true, archived: false, favorite: false, excerpt: '', added_by: 'import' };

    it('reads Pocket CSV', async () => {
      const user = randomUUID();
      const { status, out } = await runHere(['user', 'import', '-', '--basic', user], settings, sample('pocket.csv'));
      expect(out).toBe(
        'line 6: url: not an absolute URL with a host: not-an-address\n' +
          'imported 3 articles, 0 were already there, 1 cannot be imported\n' +
          'left out, as articles have no fields for them: tags of 1 entry\n',
      );
      expect(status).toBe(3);
      expect(await all(user)).toEqual([
        ['https://example.com/a?x=1&y=2', 'Plain title', 1_600_000_000_000, plain],
        [
          'https://example.com/b',
          'A "quoted", long\ntitle',
          1_600_000_001_000,
          { ...plain, unread: false, archived: true },
        ],
        ['https://example.com/c', 'https://example.com/c', 1_600_000_002_000, plain],
      ]);
    });

    it('reads Instapaper CSV', async () => {
      const user = randomUUID();
      const words = ['user', 'import', '-', '--basic', user, '--added-by', 'me'];
      expect(await mustRunHere(words, settings, sample('instapaper.csv'))).toMatch(/^imported 3 articles/);
      const mine = { ...plain, added_by: 'me' };
      expect(await all(user)).toEqual([
        ['https://example.com/a', 'One', 1_500_000_000_000, { ...mine, excerpt: 'What was\nselected' }],
        ['https://example.com/b', 'Two', 1_500_000_001_000, { ...mine, unread: false, archived: true }],
        ['https://example.com/c', 'Three', 1_500_000_002_000, { ...mine, favorite: true }],
      ]);
    });

    it('reads Netscape bookmarks, and leaves alone what is there', async () => {
      const user = randomUUID();
      await ask(user, 'POST', '/articles', { url: 'https://example.com/b', title: 'old', added_by: 'x', added_on: 1 });
      const words = ['user', 'import', '-', '--basic', user];
      expect(await mustRunHere([...words, '--dry-run'], settings, sample('bookmarks.netscape'))).toMatch(
        /^would import 2 articles, 1 is already there/,
      );
      expect(await mustRunHere(words, settings, sample('bookmarks.netscape'))).toMatch(
        /^imported 2 articles, 1 was already there/,
      );
      expect((await all(user)).map(([url, title, added_on]) => [url, title, added_on])).toEqual([
        ['https://example.com/b', 'old', 1],
        ['https://example.com/?a=1&b=2', 'Fish & “Chips” <now>', 1_400_000_000_000],
        ['https://example.com/c', 'Read', 1_400_000_002_000],
      ]);
    });

    it('says in a dry run what the import then does, with one URL twice in the file', async () => {
      const user = randomUUID();
      const rows = Array.from({ length: 250 }, (_, at) => `T,https://example.com/${at % 130},${1_600_000_000 + at}`);
      const file = `title,url,time_added\n${rows.join('\n')}\n`;
      const words = ['user', 'import', '-', '--basic', user];
      expect(await mustRunHere([...words, '--dry-run'], settings, file)).toBe(
        'would import 130 articles, 120 are already there, 0 cannot be imported\n',
      );
      expect((await all(user)).length).toBe(0);
      expect(await mustRunHere(words, settings, file)).toBe(
        'imported 130 articles, 120 were already there, 0 cannot be imported\n',
      );
    });

    it('says so of own lines, with records twice and a URL that a deletion frees', async () => {
      const account = randomUUID().replaceAll('-', '');
      const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const article = (at: number, url = `https://example.com/${at}`) => ({
        ...{ id: idOf(at), last_modified: 1_000 + at, url, resolved_url: url, title: 'T', resolved_title: 'T' },
        ...{ preview: null, excerpt: '', archived: false, favorite: false, is_article: true, word_count: null },
        ...{ unread: true, added_by: 'phone', added_on: 1, stored_on: 1, marked_read_by: null, marked_read_on: null },
        read_position: 0,
      });
      const articles = Array.from({ length: 130 }, (_, at) => article(at));
      const freed = [{ id: idOf(0), last_modified: 2_000, deleted: true }, article(500, 'https://example.com/0')];
      const head = { account, last_modified: 9_000, live_count: 130, purged_until: 0 };
      const file = (items: unknown[]) => [head, ...items].map((line) => `${JSON.stringify(line)}\n`).join('');
      const all = file([...articles, ...articles, ...freed]);
      const figures = '132 articles and tombstones of 1 user, 130';
      const words = ['user', 'import', '-'];
      expect(await mustRunHere([...words, '--dry-run'], settings, all)).toContain(figures);
      expect(await mustRunHere(words, settings, file(articles))).toContain('130 articles and tombstones of 1 user, 0');
      expect(await mustRunHere([...words, '--dry-run'], settings, all)).toContain(
        '2 articles and tombstones of 1 user, 260',
      );
      expect(await mustRunHere(words, settings, all)).toContain('2 articles and tombstones of 1 user, 260');
    });

    it('says so of own lines that hold a user twice, as they were and after they went on', async () => {
      const user = randomUUID();
      await furnish(user);
      const first = await mustRunHere(['user', 'export', '--basic', user], settings);
      const [id] = [...(await fullState(service.url, user)).keys()];
      await ask(user, 'DELETE', `/articles/${id}`);
      await ask(user, 'POST', '/articles', { url: 'https://example.com/later', title: 'T', added_by: 'x' });
      const then = await mustRunHere(['user', 'export', '--basic', user], settings);
      for (const [file, stored, known] of [
        [first + then, 252, 249],
        [then + first, 252, 249],
        [first + first, 250, 250],
      ] as const) {
        await mustRunHere(['user', 'erase', '--basic', user], settings);
        const words = ['user', 'import', '-'];
        const figures = `import ${stored} articles and tombstones of 2 users, ${known} `;
        expect(await mustRunHere([...words, '--dry-run'], settings, file)).toContain(
          `would ${figures}are already there`,
        );
        const done = figures.replace('import', 'imported');
        expect(await mustRunHere(words, settings, file)).toContain(`${done}were already there`);
      }
    });

    it('says so of a list that changes meanwhile', async () => {
      const user = randomUUID();
      await furnish(user);
      const { body } = await ask(user, 'GET', '/articles?_sort=last_modified&_limit=250');
      let isDone = false;
      const words = ['user', 'import', '-', '--basic', user, '--dry-run'];
      const run = runHere(words, settings, 'url,title\nhttps://new.example/,T\n').finally(() => (isDone = true));
      for (let turn = 0; !isDone; turn++)
        await ask(user, 'PATCH', `/articles/${body.items[turn % 100]!.id}`, { title: `turn ${turn}` });
      expect((await run).out).toMatch(/^would import 1 article, 0 are already there/);
    });

    it('cuts an excerpt that is larger than any request, as it cuts every long one', async () => {
      const user = randomUUID();
      const file = `url,title,selection\nhttps://a.example/,A,"${'x'.repeat(12_000_000)}"\n`;
      const { status, out } = await runHere(['user', 'import', '-', '--basic', user], settings, file);
      expect(out).toBe(
        'imported 1 article, 0 were already there, 0 cannot be imported\n' +
          'left out, as articles have no fields for them: the end of a long text of 1 entry; ' +
          'counted as added now: 1 entry without a date\n',
      );
      expect(status).toBe(0);
      const { body } = await ask(user, 'GET', '/articles');
      expect(body.items.map(({ excerpt }) => excerpt)).toEqual(['x'.repeat(16_000)]);
    });

    it('keeps who added and read what is in our own lines in an archive, and names what cannot be read in it', async () => {
      const user = randomUUID();
      const lines = [
        { account: 'a'.repeat(32), last_modified: 1, purged_until: 0 },
        { url: 'https://a.example/', title: 'A', added_by: 'phone', marked_read_on: null, marked_read_by: null },
        { url: 'https://b.example/', title: 'B', added_by: 'phone', marked_read_on: 5, marked_read_by: 'tablet' },
        { id: 'x', title: 7 },
      ];
      const file = Buffer.from(
        zipSync({
          'a.jsonl': strToU8(lines.map((line) => JSON.stringify(line)).join('\n')),
          'b.json': strToU8('[{"url":"https://c.ex'),
        }),
      );
      const { status, out } = await runHere(['user', 'import', '-', '--basic', user], settings, file);
      expect(out).toBe(
        'a.jsonl, line 4: no URL: 7\n' +
          'imported 2 articles, 0 were already there, 1 cannot be imported\n' +
          'b.json: not an export that can be read\n',
      );
      expect(status).toBe(3);
      const { body } = await ask(user, 'GET', '/articles?_sort=url');
      expect(body.items.map(({ added_by, marked_read_by }) => [added_by, marked_read_by])).toEqual([
        ['phone', null],
        ['phone', 'tablet'],
      ]);
    });

    it('imports nothing of a file that is cut off in a quoted field', async () => {
      const user = randomUUID();
      const { status, err } = await runHere(
        ['user', 'import', '-', '--basic', user],
        settings,
        'title,url,time_added\nT,https://example.com/,1\n"cut off',
      );
      expect([status, err]).toEqual([1, 'line 3: a quoted field that is never closed; nothing was imported\n']);
    });

    it('leaves out what exceeds MAX_ARTICLES_PER_USER, and says so', async () => {
      const user = randomUUID();
      await ask(user, 'POST', '/articles', { url: 'https://a.example/', title: 'A', added_by: 'test' });
      const rows = ['a', 'b', 'c', 'b', 'd'].map(
        (host, at) => `${host},https://${host}.example/,${1_600_000_000 + at}`,
      );
      const file = ['title,url,time_added', ...rows].join('\n');
      const limited = { ...settings, MAX_ARTICLES_PER_USER: '3' };
      const words = ['user', 'import', '-', '--basic', user];
      const leftOut = 'left out, as a user has at most MAX_ARTICLES_PER_USER (3): 1 article; raise it and repeat\n';
      expect(await runHere([...words, '--dry-run'], limited, file)).toMatchObject({
        status: 3,
        out: `would import 2 articles, 2 are already there, 0 cannot be imported\n${leftOut}`,
      });
      expect(await runHere(words, limited, file)).toMatchObject({
        status: 3,
        out: `imported 2 articles, 2 were already there, 0 cannot be imported\n${leftOut}`,
      });
      expect(await mustRunHere(['doctor', '--basic', user], settings)).toMatch(/ 0 problems/);
      expect(await mustRunHere(words, settings, file)).toMatch(/^imported 1 article, 4 were already there/);
    });

    it('refuses a file that looks like none of them', async () => {
      const { status, err } = await runHere(['user', 'import', '-', '--basic', 'x'], settings, 'hello\n');
      expect(status).toBe(2);
      expect(err).toContain('This is not an export that can be read; use --format (lines, csv, pocket, instapaper, ');
    });

    it('keeps apart what Windows-1252 tells apart, counts dates and losses, and names what is not a page', async () => {
      const user = randomUUID();
      const file = Buffer.from(
        'url;title;time_added;tags\n' +
          'https://example.com/p\xe8re;P\xe8re;1,6E+09;x\n' +
          'https://example.com/p\xe9re;P\xe9re;0;\n' +
          'https://example.com/c;C;;\n' +
          'chrome://flags;Flags;1600000000;\n',
        'latin1',
      );
      const words = ['user', 'import', '-', '--basic', user];
      expect(await runHere(words, settings, file)).toMatchObject({
        status: 3,
        out:
          'line 5: a page of the browser itself: chrome://flags\n' +
          'imported 3 articles, 0 were already there, 1 cannot be imported\n' +
          'left out, as articles have no fields for them: tags of 1 entry; ' +
          'counted as added now: the date of 1 entry cannot be read, 1 entry without a date\n',
      });
      const urls = (await all(user)).map(([url]) => url);
      expect(urls.sort()).toEqual(['https://example.com/c', 'https://example.com/père', 'https://example.com/pére']);
      const { status, err } = await runHere([...words, '--format', 'instapaper'], settings, file);
      const missing =
        'not the format Instapaper (CSV): it has no columns "selection" and "folder"; nothing was imported\n';
      expect([status, err]).toEqual([1, missing]);
    });
  });
});
