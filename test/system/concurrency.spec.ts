import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { fullState, Poller, send, type Answer } from '../support/devices.js';
import { startGalera } from '../support/servers/galera.js';
import { startGroup } from '../support/servers/group-replication.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startNewestMariaDb } from '../support/servers/newest-mariadb.js';
import { startService, type Service } from '../support/service.js';
import { inBackground } from '../support/waiting.js';
import { runHere } from '../operations/run-command.js';

const HOUR_MS = 3_600_000;
/** More than the other cases store. */
const MAX_ARTICLES = 150;

/** Database URLs for the instances: one server for both, a node of a cluster for each, or one file for both. */
interface Backend {
  urls: string[];
  stop(): Promise<void>;
}

const backends: Record<string, () => Promise<Backend>> = {
  'one MariaDB': async () => {
    const server = await startMariaDb();
    const url = await server.createDatabase('reading_list');
    return { urls: [url, url], stop: () => server.remove() };
  },
  'one MariaDB of the newest version': async () => {
    const server = await startNewestMariaDb();
    const url = await server.createDatabase('reading_list');
    return { urls: [url, url], stop: () => server.remove() };
  },
  'a Galera cluster, each instance on a node of its own': async () => {
    const cluster = await startGalera();
    const { nodes } = cluster;
    await nodes[0]!.createDatabase('reading_list');
    return { urls: nodes.map((node) => node.url('reading_list')), stop: () => cluster.stop() };
  },
  'a replication group, each instance on a primary of its own': async () => {
    const group = await startGroup({ multiPrimary: true, consistency: 'BEFORE' });
    await group.nodes[0]!.createDatabase('reading_list');
    return { urls: group.nodes.map((node) => node.url('reading_list')), stop: () => group.stop() };
  },
  'one SQLite file': () => {
    const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'shared.sqlite')}`;
    return Promise.resolve({ urls: [url, url], stop: () => Promise.resolve() });
  },
};

describe.each(Object.keys(backends))('several instances with wrong clocks on %s', (name) => {
  let backend: Backend;
  let services: Service[];
  let bases: string[];

  beforeAll(async () => {
    backend = await backends[name]!();
    services = [];
    for (const [at, url] of backend.urls.entries()) {
      const clockSkewMs = [HOUR_MS, -HOUR_MS, 0][at]!;
      const settings = { DATABASE_URL: url, MIGRATE_ON_START: 'true', MAX_ARTICLES_PER_USER: String(MAX_ARTICLES) };
      services.push(await startService({ ...settings, LOG_LEVEL: 'warn' }, { clockSkewMs }));
    }
    bases = services.map((service) => service.url);
  });

  afterAll(async () => {
    for (const service of services) if (service.output().includes('level')) console.log(service.output());
    for (const service of services) await service.kill();
    await backend.stop();
  });

  const base = (turn: number): string => bases[turn % bases.length]!;
  const statuses = (answers: Answer[]): Record<string, number> =>
    answers.reduce<Record<string, number>>(
      (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
      {},
    );

  it('gives one 201 and otherwise the same record for 20 simultaneous POSTs of one URL', async () => {
    for (let round = 0; round < 5; round++) {
      const [user, body] = [randomUUID(), anArticle()];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => send(base(turn), user, 'POST', '/articles', body)),
      );
      expect(statuses(answers)).toEqual({ 200: 19, 201: 1 });
      expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
      expect((await fullState(base(round), user)).size).toBe(1);
    }
  });

  it('gives 50 parallel writes 50 distinct timestamps, each later than all before', async () => {
    const user = randomUUID();
    const before = Number((await send(base(0), user, 'HEAD', '/articles')).headers.get('last-modified'));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, turn) => send(base(turn), user, 'POST', '/articles', anArticle())),
    );
    expect(statuses(answers)).toEqual({ 201: 50 });
    const times = answers.map((answer) => answer.body.last_modified);
    expect(new Set(times).size).toBe(50);
    expect(Math.min(...times)).toBeGreaterThan(before);
    const later = await send(base(1), user, 'POST', '/articles', anArticle());
    expect(later.body.last_modified).toBeGreaterThan(Math.max(...times));
  });

  it('lets one of 10 conditional writes win', async () => {
    const user = randomUUID();
    const { body } = await send(base(0), user, 'POST', '/articles', anArticle());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        send(
          base(turn),
          user,
          'PATCH',
          `/articles/${body.id}`,
          { title: `by ${turn}` },
          {
            'if-unmodified-since': String(body.last_modified),
          },
        ),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 1, 412: 9 });
    const now = await send(base(1), user, 'GET', `/articles/${body.id}`);
    expect(now.body).toEqual(answers.find(({ status }) => status === 200)!.body);
  });

  it('never exceeds the limit of articles with 20 simultaneous POSTs, some of a URL that is there', async () => {
    const [user, known] = [randomUUID(), anArticle()];
    await send(base(0), user, 'POST', '/articles', known);
    for (let at = 2; at < MAX_ARTICLES; at++) await send(base(at), user, 'POST', '/articles', anArticle());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        send(base(turn), user, 'POST', '/articles', turn % 4 === 0 ? known : anArticle()),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 5, 201: 1, 403: 14 });
    expect((await send(base(1), user, 'HEAD', '/articles')).headers.get('total-records')).toBe(String(MAX_ARTICLES));
  });

  it('lets one of 10 conditional creations win', async () => {
    const user = randomUUID();
    const seen = (await send(base(0), user, 'HEAD', '/articles')).headers.get('last-modified')!;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        send(base(turn), user, 'POST', '/articles', anArticle(), { 'if-unmodified-since': seen }),
      ),
    );
    expect(statuses(answers)).toEqual({ 201: 1, 412: 9 });
  });

  it('shows every change to pollers that follow Last-Modified while writers run', async () => {
    const user = randomUUID();
    await send(base(0), user, 'GET', '/articles');
    const acknowledged = new Map<string, number>();
    let writing = true;
    const write = async (writer: number) => {
      const own: string[] = [];
      for (let step = 0; step < 30; step++) {
        const target = own[(step * 7) % Math.max(1, own.length)];
        const kind = target === undefined ? 0 : step % 4;
        const answer =
          kind < 2
            ? await send(base(writer), user, 'POST', '/articles', anArticle())
            : kind === 2
              ? await send(base(writer), user, 'PATCH', `/articles/${target}`, { title: `${writer}.${step}` })
              : await send(base(writer), user, 'DELETE', `/articles/${target}`);
        if (answer.status === 404) continue;
        expect(answer.status).toBeLessThan(300);
        acknowledged.set(answer.body.id, answer.body.last_modified);
        if (kind < 2) own.push(answer.body.id);
        if (kind === 3) own.splice(own.indexOf(target!), 1);
      }
    };
    const pollers = [new Poller(bases, user), new Poller([base(0)], user), new Poller([base(1)], user)];
    const polling = pollers.map(async (poller) => {
      while (writing) await poller.poll();
      await poller.poll();
    });
    await Promise.all([0, 1, 2, 3].map(write));
    writing = false;
    await Promise.all(polling);
    const truth = await fullState(base(0), user);
    for (const [id, last_modified] of acknowledged) expect(truth.get(id)?.last_modified).toBe(last_modified);
    for (const poller of pollers) expect(poller.items).toEqual(truth);
    const times = [...truth.values()].map((item) => item.last_modified);
    expect(new Set(times).size).toBe(times.length);
  });

  it('never lets a read position fall while several devices report theirs', async () => {
    const user = randomUUID();
    const { body } = await send(base(0), user, 'POST', '/articles', anArticle());
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, turn) =>
        send(base(turn), user, 'PATCH', `/articles/${body.id}`, { read_position: (turn * 37) % 100 }),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 30 });
    const sorted = answers.map((answer) => answer.body).sort((a, b) => a.last_modified - b.last_modified);
    const positions = sorted.map((record) => record.read_position as number);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect((await send(base(1), user, 'GET', `/articles/${body.id}`)).body.read_position).toBe(99);
  });

  it('shows all of a batch or nothing, and gives each change a timestamp of its own, while many run', async () => {
    const SIZE = 6;
    const words = ['token', 'create', randomUUID(), '--name', 'laptop', '--quiet'];
    const { out: token } = await runHere(words, { DATABASE_URL: backend.urls[0]! });
    const user = { authorization: `Bearer ${token.trim()}` };
    const common = anArticle();
    let running = true;
    const list = async (at: string) => {
      for (;;) {
        const { status, body } = await send(at, '', 'GET', '/articles?_limit=100', undefined, user);
        // A busy instance refuses a user's reads beside many batches of that user.
        if (status !== 503) return body.items;
      }
    };
    const looking = inBackground(
      bases.map(async (at) => {
        while (running) {
          const perBatch: Record<string, number> = {};
          for (const { added_by } of await list(at)) perBatch[String(added_by)] = (perBatch[String(added_by)] ?? 0) + 1;
          const counts = Object.entries(perBatch).filter(([batch]) => batch.startsWith('batch'));
          expect(counts.filter(([, count]) => count !== SIZE)).toEqual([]);
        }
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => {
        const own = Array.from({ length: SIZE }, () => ({ body: anArticle({ added_by: `batch ${turn}` }) }));
        const requests = [{ body: common }, ...own];
        const defaults = { method: 'POST', path: '/articles' };
        return send(base(turn), '', 'POST', '/batch', { defaults, requests }, user);
      }),
    );
    running = false;
    await looking;
    expect(statuses(answers)).toEqual({ 200: 12 });
    const slots = answers.map(({ body }) => (body as unknown as { responses: Answer[] }).responses);
    expect(statuses(slots.map(([first]) => first!))).toEqual({ 200: 11, 201: 1 });
    for (const [, ...own] of slots) {
      const times = own.map(({ body }) => body.last_modified);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
    const times = slots.flat().flatMap(({ status, body }) => (status === 201 ? [body.last_modified] : []));
    expect(new Set(times).size).toBe(12 * SIZE + 1);
    expect((await list(base(0))).length).toBe(12 * SIZE + 1);
  });
});
