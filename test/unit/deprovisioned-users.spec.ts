import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keyOf } from '../../src/accounts/accounts.store.js';
import { DeprovisionedUsers } from '../../src/auth/tokens/deprovisioned-users.js';
import type { Database } from '../../src/database/database.js';

const ACCOUNT = Buffer.alloc(16, 1);
const KEY = keyOf(ACCOUNT);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** With a database that takes so long for each answer. */
function usersOf(accounts: Buffer[], ms: number): DeprovisionedUsers {
  const onSession = () => new Promise((resolve) => setTimeout(resolve, ms, accounts));
  return new DeprovisionedUsers({ onSession } as unknown as Database);
}

/** Whether requests, one every 0.7 s, are let in. */
async function requests(users: DeprovisionedUsers, count: number): Promise<boolean[]> {
  const results: boolean[] = [];
  for (let at = 0; at < count; at++) {
    const request = users.refuse(KEY).then(
      () => results.push(true),
      () => results.push(false),
    );
    await vi.advanceTimersByTimeAsync(1_100);
    await request;
  }
  return results;
}

it('a database that answers late keeps nobody out at first, and a deprovisioned user soon', async () => {
  expect(await requests(usersOf([ACCOUNT], 1_300), 6)).toEqual([true, true, false, false, false, false]);
});

it('a database that answers at once keeps a deprovisioned user out, and no other', async () => {
  expect(await requests(usersOf([ACCOUNT], 10), 6)).toEqual(Array(6).fill(false));
  expect(await requests(usersOf([Buffer.alloc(16, 2)], 10), 6)).toEqual(Array(6).fill(true));
});

it('many requests share what was read, for four seconds', async () => {
  const onSession = vi.fn(() => Promise.resolve([]));
  const users = new DeprovisionedUsers({ onSession } as unknown as Database);
  await Promise.all([users.refuse(KEY), users.refuse(KEY)]);
  await vi.advanceTimersByTimeAsync(3_999);
  await users.refuse(KEY);
  expect(onSession).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  await users.refuse(KEY);
  expect(onSession).toHaveBeenCalledTimes(2);
});
