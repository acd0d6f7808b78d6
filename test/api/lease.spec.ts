import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { returnLease, takeLease } from '../../src/database/lease.js';
import { startApp, type TestApp } from '../support/app.js';

const NOW = 1_800_000_000_000;
const FOR_MS = 300_000;
const DAY_MS = 86_400_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const take = (task: string, holder: string, now: number) =>
  takeLease(app.database.database, { task, holder, now, forMs: FOR_MS });

describe('a lease', () => {
  it('is of one holder until it ends or is given back', async () => {
    const task = randomUUID();
    expect(await take(task, 'a', NOW)).toBe(true);
    expect(await take(task, 'b', NOW + FOR_MS - 1)).toBe(false);
    expect(await take(task, 'a', NOW + FOR_MS - 1)).toBe(true);
    expect(await take(task, 'b', NOW + FOR_MS)).toBe(false);
    await returnLease(app.database.database, task, 'a');
    expect(await take(task, 'b', NOW + FOR_MS)).toBe(true);
    expect(await take(task, 'c', NOW + 2 * FOR_MS)).toBe(true);
  });

  it.each([
    ['a second', 1_000],
    ['ten minutes', 600_000],
    ['days', 5 * DAY_MS],
    ['years', 3_000 * DAY_MS],
  ])('ends within its length though the clock of its holder was %s ahead', async (_, ms) => {
    const task = randomUUID();
    expect(await take(task, 'ahead', NOW + ms)).toBe(true);
    expect(await take(task, 'right', NOW)).toBe(false);
    expect(await take(task, 'right', NOW + FOR_MS - 1)).toBe(false);
    expect(await take(task, 'right', NOW + FOR_MS)).toBe(true);
  });

  it('is not made longer by who asks for it', async () => {
    const task = randomUUID();
    expect(await take(task, 'a', NOW)).toBe(true);
    for (let ms = 0; ms < FOR_MS; ms += 60_000) expect(await take(task, 'b', NOW + ms)).toBe(false);
    expect(await take(task, 'b', NOW + FOR_MS)).toBe(true);
  });

  it('is taken by one of many who ask at once', async () => {
    const task = randomUUID();
    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(task, holder, NOW)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});
