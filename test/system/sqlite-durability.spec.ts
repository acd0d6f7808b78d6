import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { type Answer, fullState, Poller, send } from '../support/devices.js';
import { type Service, startService } from '../support/service.js';

const WRITERS = 16;
const ROUNDS = 2;

const folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
let service: Service;

const start = async (): Promise<void> => {
  service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'file.sqlite')}`, LOG_LEVEL: 'warn' });
};

afterAll(async () => {
  await service.kill();
  rmSync(folder, { recursive: true });
});

it('keeps all that was acknowledged, or seen, when the service is killed among writers that share commits', async () => {
  const user = randomUUID();
  const acknowledged = new Map<string, number>();
  const seen = new Map<string, number>();

  /** Goes on until the service is gone. */
  const untilKilled = async (step: () => Promise<void>): Promise<void> => {
    for (;;)
      try {
        await step();
      } catch (error) {
        if (/^(fetch failed|terminated)$/.test((error as Error).message)) return;
        throw error;
      }
  };
  const note = ({ status, body }: Answer, expected: number) => {
    expect(status).toBe(expected);
    acknowledged.set(body.id, body.last_modified);
    return body;
  };
  const writer = () =>
    untilKilled(async () => {
      const { id, url } = note(await send(service.url, user, 'POST', '/articles', anArticle()), 201);
      note(await send(service.url, user, 'PATCH', `/articles/${id}`, { title: 'U' }), 200);
      // An answer that changes nothing shows what others wrote.
      note(await send(service.url, user, 'POST', '/articles', anArticle({ url })), 200);
    });
  const reader = () => {
    const poller = new Poller([service.url], user, 50);
    return untilKilled(async () => {
      await poller.poll();
      for (const { id, last_modified } of poller.items.values()) seen.set(id, last_modified);
    });
  };

  for (let round = 0; round < ROUNDS; round++) {
    await start();
    const devices = [...Array.from({ length: WRITERS }, writer), reader()];
    await sleep(700);
    // A busy machine takes longer.
    while (acknowledged.size <= 2 * WRITERS * (round + 1) || seen.size <= WRITERS) await sleep(20);
    await service.kill();
    await Promise.all(devices);
  }
  await start();
  const truth = await fullState(service.url, user);
  expect(acknowledged.size).toBeGreaterThan(WRITERS * ROUNDS);
  expect(seen.size).toBeGreaterThan(WRITERS);
  for (const [id, last_modified] of [...acknowledged, ...seen])
    expect(truth.get(id)?.last_modified).toBeGreaterThanOrEqual(last_modified);
  const urls = [...truth.values()].map(({ url }) => url);
  expect(new Set(urls).size).toBe(urls.length);
});
