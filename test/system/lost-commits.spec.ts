import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { runHere } from '../operations/run-command.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { type Answer, fullState, type Item, send } from '../support/devices.js';
import type { DatabaseServer } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { COMMIT_REQUEST, startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';

/** Commits to cut at random; `npm run soak` asks for thousands. */
const ROUNDS = Number(process.env.LOST_COMMITS ?? 60);
const HOUR_MS = 3_600_000;

type When = 'before' | 'after';

describe.each(['MariaDB', 'MySQL'])('a COMMIT without a reply while a rival writes, on %s', (kind) => {
  let server: DatabaseServer;
  let proxy: TcpProxy;
  let provider: DevelopmentProvider;
  let admin: mysql.Connection;
  /** Its connections to the database are cut. */
  let cut: TestApp;
  /** The same for commands. */
  let variables: { DATABASE_URL: string; BASIC_PASSWORD: string };
  let rival: TestApp;
  let user: string;
  let article: Item;

  beforeAll(async () => {
    server = await (kind === 'MySQL' ? startMysql() : startMariaDb());
    const url = await server.createDatabase('reading_list');
    proxy = await startTcpProxy(server.port);
    provider = await startDevelopmentProvider({ port: 0 });
    const settings = { OAUTH_URI: provider.issuer };
    const drop = () => Promise.resolve();
    const through = new URL(url);
    through.port = String(proxy.port);
    variables = { DATABASE_URL: through.href, BASIC_PASSWORD: 'secret' };
    rival = await startApp(settings, { url, drop });
    cut = await startApp(settings, { url: through.href, drop });
    admin = await mysql.createConnection(url);
  });

  afterAll(async () => {
    await admin.end();
    await cut.close();
    await rival.close();
    await provider.close();
    await proxy.close();
    await server.remove();
  });

  /** A new user with one article; with `aheadMs`, the clock of the account is that far ahead of both instances. */
  async function newUser(aheadMs: number): Promise<void> {
    user = randomUUID();
    article = (await send(rival.url, user, 'POST', '/articles', anArticle())).body;
    if (aheadMs === 0) return;
    await admin.query('UPDATE accounts SET last_modified = last_modified + ? WHERE last_modified = ?', [
      aheadMs,
      article.last_modified,
    ]);
    const path = `/articles/${article.id}`;
    article = (await send(rival.url, user, 'PATCH', path, { title: 'ahead' })).body;
  }

  /** Sends a request whose COMMIT gets no reply; `meanwhile` runs while its instance cannot reach the database. */
  async function withLostCommit<T>(
    when: When,
    request: () => Promise<T>,
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<T> {
    const sprung = when === 'before' ? proxy.cutBeforeRequest(COMMIT_REQUEST) : proxy.cutAfterRequest(COMMIT_REQUEST);
    const answer = request();
    const isCut = await Promise.race([sprung.then(() => true), answer.then(() => false)]);
    if (isCut) {
      await proxy.refuse();
      await meanwhile();
    }
    await proxy.restore();
    return answer;
  }

  const unmodified = (since: number) => ({ 'if-unmodified-since': String(since) });
  const patch = (app: TestApp, body: object, headers = {}) =>
    send(app.url, user, 'PATCH', `/articles/${article.id}`, body, headers);
  const stored = async (): Promise<Map<string, Item>> => fullState(rival.url, user);

  it.each(['before', 'after'] as const)('loses no change when it is cut %s it takes place', async (when) => {
    await newUser(HOUR_MS);
    let other: Answer | undefined;
    const own = await withLostCommit(
      when,
      () => patch(cut, { title: 'own' }),
      async () => (other = await patch(rival, { resolved_title: 'other' })),
    );
    expect([own.status, other!.status]).toEqual([200, 200]);
    expect(own.body.last_modified).not.toBe(other!.body.last_modified);
    expect((await stored()).get(article.id)).toMatchObject({ title: 'own', resolved_title: 'other' });
  });

  it.each([
    ['before', 412, 200, { title: 'ahead', resolved_title: 'other' }],
    ['after', 200, 412, { title: 'own' }],
  ] as const)('lets one of two win on one condition when it is cut %s it takes place', async (when, a, b, record) => {
    await newUser(HOUR_MS);
    const condition = unmodified(article.last_modified);
    let other: Answer | undefined;
    const own = await withLostCommit(
      when,
      () => patch(cut, { title: 'own' }, condition),
      async () => (other = await patch(rival, { resolved_title: 'other' }, condition)),
    );
    expect([own.status, other!.status]).toEqual([a, b]);
    expect((await stored()).get(article.id)).toMatchObject(record);
  });

  it('answers 503, not 412 or 404, when so many have written that nothing can tell', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      await newUser(HOUR_MS);
      const own = await withLostCommit(
        'after',
        () =>
          send(cut.url, user, method, `/articles/${article.id}`, { title: 'own' }, unmodified(article.last_modified)),
        async () => {
          for (let at = 0; at < 9; at++) await send(rival.url, user, 'POST', '/articles', anArticle());
        },
      );
      expect([own.status, own.body.errno]).toEqual([503, 201]);
    }
  });

  describe('of a batch', () => {
    type Slots = { responses: { status: number; body: Item }[] };
    let bearer: Record<string, string>;

    /** A new user of batches, with one article. */
    async function newSender(): Promise<void> {
      bearer = { authorization: `Bearer ${await provider.issue(randomUUID())}` };
      article = (await write(rival, 'POST', '/articles', anArticle())).body;
    }

    const write = (app: TestApp, method: string, path: string, body?: object, headers = {}) =>
      send(app.url, '', method, path, body, { ...bearer, ...headers });
    const slotsOf = ({ body }: Answer) => (body as unknown as Slots).responses;
    const inUrlOrder = (items: Item[]) => items.sort((a, b) => (String(a.url) < String(b.url) ? -1 : 1));
    const storedItems = async () => (await write(rival, 'GET', '/articles?_limit=100')).body.items;

    function batch(app: TestApp): Promise<Answer> {
      const creations = ['first', 'second', 'third'].map((title) => ({ body: anArticle({ title }) }));
      const change = { method: 'PATCH', path: `/articles/${article.id}`, body: { title: 'changed' } };
      const defaults = { method: 'POST', path: '/articles' };
      return write(app, 'POST', '/batch', { defaults, requests: [...creations, change] });
    }

    async function expectOnce(answer: Answer, others: Item[] = []): Promise<void> {
      expect(answer.status).toBe(200);
      const slots = slotsOf(answer);
      expect(slots.map(({ status }) => status)).toEqual([201, 201, 201, 200]);
      const given = [...slots.map(({ body }) => body), ...others];
      expect(inUrlOrder(await storedItems())).toEqual(inUrlOrder(given));
      expect(new Set(given.map(({ last_modified }) => last_modified)).size).toBe(given.length);
    }

    it.each(['before', 'after'] as const)('happens once when it is cut %s it takes place', async (when) => {
      await newSender();
      let other: Answer | undefined;
      const own = await withLostCommit(
        when,
        () => batch(cut),
        async () => (other = await write(rival, 'POST', '/articles', anArticle())),
      );
      await expectOnce(own, [other!.body]);
    });

    it.each(['first', 'third', 'changed'])('happens once when the statement with %j is lost', async (title) => {
      for (const cutConnection of [() => proxy.cutBeforeRequest(title), () => proxy.cutAfterRequest(title)]) {
        await newSender();
        const sprung = cutConnection();
        const answer = await batch(cut);
        await sprung;
        await expectOnce(answer);
      }
    });

    it('is answered 503 when so many have written that nothing can tell', async () => {
      await newSender();
      const own = await withLostCommit(
        'after',
        () => batch(cut),
        async () => {
          for (let at = 0; at < 9; at++) await write(rival, 'POST', '/articles', anArticle());
        },
      );
      expect([own.status, own.body.errno]).toEqual([503, 201]);
      expect(Number(own.headers.get('retry-after'))).toBeGreaterThan(0);
      const again = slotsOf(await batch(cut)).map(({ status }) => status);
      expect(again).toEqual([201, 201, 201, 200]);
    });

    it('is repeated after a deadlock, and keeps no other user waiting', async () => {
      await newSender();
      const { retries } = cut.database;
      const key = Buffer.from(article.id.replaceAll('-', ''), 'hex');
      // The server undoes the transaction that has changed fewer rows.
      await admin.query('CREATE TABLE heavy (n INT PRIMARY KEY)');
      await admin.beginTransaction();
      await admin.query('INSERT INTO heavy VALUES ?', [Array.from({ length: 500 }, (_, n) => [n])]);
      const [[owner]] = await admin.query<mysql.RowDataPacket[]>('SELECT account FROM articles WHERE id = ?', [key]);
      await admin.query('SELECT 1 FROM articles WHERE account = ? AND id = ? FOR UPDATE', [owner!.account, key]);
      const answer = batch(cut);
      // The server shows a state that is older when it is asked more than ten times a second.
      const waits = "SELECT COUNT(*) AS count FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
      while (!(await admin.query<mysql.RowDataPacket[]>(waits))[0][0]!.count) await sleep(200);
      const start = performance.now();
      expect((await send(cut.url, randomUUID(), 'POST', '/articles', anArticle())).status).toBe(201);
      expect(performance.now() - start).toBeLessThan(1_000);
      await admin.query('UPDATE accounts SET live_count = live_count WHERE account = ?', [owner!.account]);
      await admin.commit();
      await expectOnce(await answer);
      expect(cut.database.retries).toBeGreaterThan(retries);
      await admin.query('DROP TABLE heavy');
    });
  });

  describe.each(['before', 'after'] as const)('cut %s it takes place', (when) => {
    it('deletes several articles once', async () => {
      await newUser(HOUR_MS);
      for (let at = 0; at < 4; at++) await send(rival.url, user, 'POST', '/articles', anArticle());
      const { status, body } = await withLostCommit(
        when,
        () => send(cut.url, user, 'DELETE', '/articles'),
        () => send(rival.url, user, 'POST', '/articles', anArticle()),
      );
      expect([status, body.items.length]).toEqual([200, 5]);
      const truth = await stored();
      for (const tombstone of body.items) expect(truth.get(tombstone.id)).toEqual(tombstone);
      expect(truth.size).toBe(6);
    });

    it('prints a token that works, and revokes it', async () => {
      const name = randomUUID();
      const create = () => runHere(['token', 'create', name, '--name', 'phone', '--quiet'], variables);
      const { status, out } = await withLostCommit(when, create);
      expect(status).toBe(0);
      const headers = { authorization: `Bearer ${out.trim()}` };
      expect((await send(rival.url, name, 'GET', '/articles', undefined, headers)).status).toBe(200);

      const revoke = () => runHere(['token', 'revoke', name, '--name', 'phone'], variables);
      expect(await withLostCommit(when, revoke)).toMatchObject({ status: 0 });
      expect((await runHere(['token', 'list'], variables)).out).not.toContain(name);
    });

    it('imports, exports and erases a user', async () => {
      await newUser(0);
      const folder = mkdtempSync(join(tmpdir(), 'reading-list-import-'));
      const [pocket, lines] = [join(folder, 'pocket.csv'), join(folder, 'own.jsonl')];
      writeFileSync(pocket, 'title,url,time_added\nA,https://a.example/,1600000000\nB,https://b.example/,1600000001\n');
      const run = (...words: string[]) => runHere(['user', ...words, '--basic', user], variables);
      expect(await withLostCommit(when, () => run('import', pocket))).toMatchObject({
        status: 0,
        out: 'imported 2 articles, 0 were already there, 0 cannot be imported\n',
      });
      const before = await stored();
      expect(before.size).toBe(3);
      writeFileSync(lines, (await run('export')).out);
      const erased = await withLostCommit(when, () => run('erase'));
      expect(erased.out).toMatch(/^erased 3 articles and tombstones/);
      expect((await stored()).size).toBe(0);
      await run('erase');
      const { out } = await withLostCommit(when, () => run('import', lines));
      expect(out).toMatch(/^imported 3 articles and tombstones of 1 user, 0 were already there/);
      expect(await stored()).toEqual(before);
      expect(await runHere(['doctor', '--basic', user], variables)).toMatchObject({ status: 0 });
    });

    it('gives the list of a user of tokens to one of the provider', async () => {
      const [name, subject] = [randomUUID(), randomUUID()];
      const token = await runHere(['token', 'create', name, '--name', 'phone', '--quiet'], variables);
      const headersOf = (given: string) => ({ authorization: `Bearer ${given.trim()}` });
      const { body: saved } = await send(rival.url, '', 'POST', '/articles', anArticle(), headersOf(token.out));
      const linking = runHere(['user', 'link', name, '--subject', subject, '--issuer', provider.issuer], variables);
      // The first COMMIT is that of the revocation, five seconds before the list is moved.
      await sleep(3_000);
      expect(await withLostCommit(when, () => linking)).toMatchObject({
        status: 0,
        out: expect.stringMatching(/^moved 1 articles and tombstones of .*; 1 token revoked\n$/) as string,
      });
      const headers = headersOf(await provider.issue(subject));
      expect((await send(rival.url, '', 'GET', '/articles', undefined, headers)).body.items).toEqual([saved]);
    });

    it('purges a tombstone, and tells devices that have not seen it', async () => {
      await newUser(0);
      const { body: tombstone } = await send(rival.url, user, 'DELETE', `/articles/${article.id}`);
      const old = tombstone.last_modified - 10 * 24 * HOUR_MS;
      const key = Buffer.from(tombstone.id.replaceAll('-', ''), 'hex');
      await admin.query('UPDATE articles SET last_modified = ? WHERE id = ?', [old, key]);
      const purge = () => runHere(['purge'], { ...variables, TOMBSTONE_RETENTION_DAYS: '5' });
      expect(await withLostCommit(when, purge)).toMatchObject({ status: 0, out: 'purged 1 tombstone of 1 user\n' });
      expect((await stored()).size).toBe(0);
      const { headers } = await send(rival.url, user, 'GET', `/articles?_since=${old - 1}`);
      expect(headers.get('start-over')).toBe('true');
    });
  });

  it(
    `acknowledges nothing wrongly in ${ROUNDS} rounds of random writes`,
    { timeout: 60_000 + ROUNDS * 1_000 },
    async () => {
      const pick = <T>(...choices: T[]): T => choices[Math.floor(Math.random() * choices.length)]!;
      for (let round = 0; round < ROUNDS; round++) {
        await newUser(pick(0, HOUR_MS));
        const condition = pick<Record<string, string>>({}, unmodified(article.last_modified));
        const own = pick('PATCH', 'DELETE', 'POST', 'DELETE all');
        const others = pick([], ['PATCH'], ['POST', 'PATCH'], ['DELETE'], ['PATCH', 'PATCH', 'POST']);
        const write = (app: TestApp, operation: string) =>
          send(
            app.url,
            user,
            operation.split(' ')[0]!,
            ['POST', 'DELETE all'].includes(operation) ? '/articles' : `/articles/${article.id}`,
            {
              PATCH: app === cut ? { title: 'own' } : { excerpt: randomUUID() },
              POST: anArticle({ added_by: app.url }),
            }[operation],
            condition,
          );
        const acknowledged: Answer[] = [];
        const answer = await withLostCommit(
          pick('before', 'after'),
          () => write(cut, own),
          async () => {
            for (const operation of others) acknowledged.push(await write(rival, operation));
            await sleep(pick(0, 20));
          },
        );
        const truth = await stored();
        const records = (given: Answer) => (given.status < 300 ? (given.body.items ?? [given.body]) : []);
        const what = JSON.stringify({ own, others, condition, answer: answer.body, truth: [...truth.values()] });
        expect([200, 201, 404, 412], what).toContain(answer.status);
        const times = [answer, ...acknowledged].flatMap(records).map(({ last_modified }) => last_modified);
        expect(new Set(times).size, what).toBe(times.length);
        // Whatever was acknowledged is there, in this version or a later one; what was refused left no trace.
        for (const record of [answer, ...acknowledged].flatMap(records))
          expect(truth.get(record.id)!.last_modified, what).toBeGreaterThanOrEqual(record.last_modified);
        const now = truth.get(article.id)!;
        const isDone = answer.status < 300;
        if (own === 'PATCH' && !now.deleted) expect(now.title === 'own', what).toBe(isDone);
        if (own === 'POST')
          expect(
            [...truth.values()].some((item) => item.added_by === cut.url),
            what,
          ).toBe(isDone);
        const hasRivalDeleted = acknowledged.some(({ status, body }) => status === 200 && body.deleted);
        if (own.startsWith('DELETE') && !hasRivalDeleted)
          expect(now.deleted === true, what).toBe(records(answer).length > 0);
      }
    },
  );
});
