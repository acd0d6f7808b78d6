import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Service, startService } from '../support/service.js';

let server: Awaited<ReturnType<typeof startMariaDb>>;
let service: Service;

beforeAll(async () => {
  server = await startMariaDb();
  service = await startService({ DATABASE_URL: await server.createDatabase('slow'), MIGRATE_ON_START: 'true' });
  await runSql(
    server.url('slow'),
    "CREATE TRIGGER slow BEFORE INSERT ON articles FOR EACH ROW IF NEW.title LIKE 'slow%' THEN DO SLEEP(SUBSTR(NEW.title, 6)); END IF",
  );
});

afterAll(async () => {
  await service.kill();
  await server.remove();
});

/** Sends `count` creates of one user at once, and a new user's every 50 ms until they end: their answers, and the longest wait. */
async function createAtOnce(user: string, count: number, title: string) {
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: count }, () => send(service.url, user, 'POST', '/articles', anArticle({ title }))),
  ).finally(() => (isOver = true));
  let longestMs = 0;
  while (!isOver) {
    const start = performance.now();
    const { status } = await send(service.url, randomUUID(), 'POST', '/articles', anArticle());
    longestMs = Math.max(longestMs, performance.now() - start);
    expect(status).toBe(201);
    await sleep(50);
  }
  return { answers: await all, longestMs };
}

it.each([
  ['one', 1, 'slow 30'],
  ['many', 25, 'slow 30'],
  ['many shorter', 40, 'slow 2'],
  ['more than the service takes at once', 450, 'slow 30'],
])('costs its own user a 503, and nobody else anything: %s', async (_, count, title) => {
  const user = randomUUID();
  // While nothing of a user is committed, InnoDB also locks the gap that the user's row would be in, and new users beside it.
  expect((await send(service.url, user, 'POST', '/articles', anArticle())).status).toBe(201);
  // So many requests take the processor's time in any case, the slow ones as much as others.
  const { longestMs: usualMs } = await createAtOnce(user, count, 'quick');
  const { answers, longestMs } = await createAtOnce(user, count, title);
  expect(longestMs).toBeLessThan(usualMs + 1_000);
  for (const { status, body } of answers) if (status !== 201) expect([status, body.errno]).toEqual([503, 201]);
});
