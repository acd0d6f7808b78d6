import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { anArticle } from '../support/article.js';
import { send } from '../support/devices.js';
import type { DatabaseServer } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { createScratchFolder } from '../support/servers/scratch-folder.js';
import { type Service, startService } from '../support/service.js';

/** More than share a commit on SQLite, so that one is always being run, and so large that running one takes a while. */
const DEVICES = 40;
const ENTRIES = 25;
const ROUNDS = 1;

let provider: DevelopmentProvider;
let mariadb: DatabaseServer;
beforeAll(async () => {
  [provider, mariadb] = await Promise.all([startDevelopmentProvider({ port: 0 }), startMariaDb()]);
});
afterAll(async () => {
  await mariadb?.remove();
  await provider?.close();
});

describe.each(['MariaDB', 'SQLite'])('a batch in which the service is killed, on %s', (kind) => {
  let url: string;
  let service: Service;
  beforeAll(async () => {
    url =
      kind === 'SQLite' ? `sqlite:${createScratchFolder().path}/file.sqlite` : await mariadb.createDatabase('killed');
  });
  afterAll(() => service?.kill());

  const start = async (): Promise<void> => {
    service = await startService({ DATABASE_URL: url, OAUTH_URI: provider.issuer, MIGRATE_ON_START: 'true' });
  };

  /** The number of articles that the user has. */
  async function count(authorization: string): Promise<number> {
    const { headers } = await send(service.url, '', 'HEAD', '/articles', undefined, { authorization });
    return Number(headers.get('total-records'));
  }

  it('is stored whole or not at all', async () => {
    let cut = 0;
    await start();
    for (let round = 0; round < ROUNDS; round++) {
      const tokens = await Promise.all(Array.from({ length: DEVICES }, () => provider.issue(randomUUID())));
      const users = tokens.map((token) => `Bearer ${token}`);
      const requests = () => Array.from({ length: ENTRIES }, () => ({ body: anArticle() }));
      /** How many articles each user's batch has created, by its response: on a busy machine entries may be refused. */
      const answered = new Map<string, number>();
      let noteFirst: () => void = () => undefined;
      const first = new Promise<void>((resolve) => (noteFirst = resolve));
      const batches = users.map(async (authorization) => {
        const body = { defaults: { method: 'POST', path: '/articles' }, requests: requests() };
        const response = await send(service.url, '', 'POST', '/batch', body, { authorization });
        const { responses = [] } = response.body as { responses?: { status: number }[] };
        answered.set(authorization, responses.filter(({ status }) => status === 201).length);
        noteFirst();
      });
      const ended = Promise.allSettled(batches);
      await first;
      await service.kill();
      await ended;
      cut += DEVICES - answered.size;
      await start();
      for (const user of users) expect([answered.get(user) ?? [0, ENTRIES]].flat()).toContain(await count(user));
    }
    expect(cut).toBeGreaterThan(0);
  });
});
