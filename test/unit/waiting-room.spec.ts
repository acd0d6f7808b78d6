import { beforeEach, describe, expect, it } from 'vitest';
import { type Ending, type Waiter, WaitingRoom } from '../../src/polling/waiting-room.js';

const SINCE = 1_000;

let now: number;
let room: WaitingRoom;

beforeEach(() => {
  now = 5_000;
  room = new WaitingRoom({ maxSeconds: 55, perUser: 3, max: 100 }, () => now);
});

const enter = (key = 'a', ms = 10_000, since = SINCE): Waiter => room.enter(key, since, ms)!;
/** How a wait ended; undefined while it goes on. */
async function outcome(held: Promise<Ending>): Promise<Ending | undefined> {
  return Promise.race([held, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))]);
}

describe('a change', () => {
  it('wakes who is held for that account, and nobody else', async () => {
    const [mine, others] = [room.hold(enter('a')), room.hold(enter('b'))];
    room.announce('a', SINCE + 1);
    expect([await outcome(mine), await outcome(others)]).toEqual(['changed', undefined]);
  });

  it('that is announced between the first look and the wait makes the device look again', async () => {
    const waiter = enter();
    room.announce('a', SINCE + 1);
    expect(await outcome(room.hold(waiter))).toBe('changed');
    expect(await outcome(room.hold(waiter))).toBeUndefined();
  });

  it('that is announced while a woken one looks makes it look again', async () => {
    const waiter = enter();
    const held = room.hold(waiter);
    room.announce('a', SINCE + 1);
    expect(await held).toBe('changed');
    room.announce('a', SINCE + 2);
    expect(await outcome(room.hold(waiter))).toBe('changed');
  });

  it.each([SINCE - 1, SINCE])('the device knows of wakes nobody: %i', async (last_modified) => {
    const held = room.hold(enter());
    room.announce('a', last_modified);
    expect(await outcome(held)).toBeUndefined();
  });

  it.each(['before', 'after'])(
    'wakes who waits for a later one than the look found, announced %s the wait',
    async (when) => {
      const waiter = enter('a', 10_000, SINCE + 1_000_000);
      if (when === 'before') room.announce('a', SINCE + 1);
      const held = room.hold(waiter, SINCE);
      if (when === 'after') room.announce('a', SINCE + 1);
      expect(await outcome(held)).toBe('changed');
    },
  );

  it('that the look found already wakes nobody', async () => {
    const waiter = enter('a', 10_000, SINCE + 1_000_000);
    room.announce('a', SINCE + 1);
    const held = room.hold(waiter, SINCE + 1);
    room.announce('a', SINCE + 1);
    expect(await outcome(held)).toBeUndefined();
  });

  it('wakes a storm of waiters a few at a time, and all in the end', async () => {
    const waiters = Array.from({ length: 100 }, (_, at) => enter(`u${at}`));
    let looking = 0;
    let most = 0;
    const looks = waiters.map(async (waiter) => {
      expect(await room.hold(waiter)).toBe('changed');
      most = Math.max(most, ++looking);
      await new Promise((resolve) => setImmediate(resolve));
      looking--;
      room.leave(waiter);
    });
    for (const { key } of waiters) room.announce(key, SINCE + 1);
    await Promise.all(looks);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(32);
    expect(room.size).toBe(0);
  });
});

describe('time', () => {
  it('ends a wait when it is over, not before, and a tick later at most', async () => {
    const held = room.hold(enter('a', 2_000));
    for (now = 5_000; now < 7_000; now += 50) room.endDue();
    expect(await outcome(held)).toBeUndefined();
    now = 7_100;
    room.endDue();
    expect(await outcome(held)).toBe('timedOut');
  });

  it('that was over while the device looked ends the wait at once', async () => {
    const waiter = enter('a', 500);
    now += 600;
    room.endDue();
    expect(await outcome(room.hold(waiter))).toBe('timedOut');
  });

  it('of no length is over with the next tick', async () => {
    const held = room.hold(enter('a', 0));
    now += 100;
    room.endDue();
    expect(await outcome(held)).toBe('timedOut');
  });

  it('that jumps ends all that were due meanwhile, and no other', async () => {
    const held = [100, 5_000, 55_000, 80_000].map((ms, at) => room.hold(enter(`u${at}`, ms)));
    now += 60_000;
    room.endDue();
    expect(await Promise.all(held.map(outcome))).toEqual(['timedOut', 'timedOut', 'timedOut', undefined]);
  });
});

describe('room', () => {
  it('is bounded for each user, and given back', () => {
    const waiters = [enter(), enter(), enter()];
    expect(room.enter('a', SINCE, 1)).toBeUndefined();
    expect(room.enter('b', SINCE, 1)).toBeDefined();
    room.leave(waiters[0]!);
    room.leave(waiters[0]!);
    expect(room.enter('a', SINCE, 1)).toBeDefined();
    expect(room.enter('a', SINCE, 1)).toBeUndefined();
    expect(room.counts.refused).toBe(2);
  });

  it('is bounded for all together', () => {
    for (let at = 0; at < 100; at++) expect(room.enter(`u${at}`, SINCE, 1)).toBeDefined();
    expect(room.enter('one more', SINCE, 1)).toBeUndefined();
    expect(room.size).toBe(100);
  });

  it('knows no account any more when the last one left', () => {
    const waiters = [enter('a'), enter('a'), enter('b')];
    expect(room.accounts()).toEqual(['a', 'b']);
    for (const waiter of waiters) room.leave(waiter);
    expect([room.accounts(), room.hasWaiters('a'), room.size]).toEqual([[], false, 0]);
  });

  it('has the places of those who look again when they leave in any state', async () => {
    for (let round = 0; round < 40; round++) {
      const waiter = enter(`u${round}`);
      const held = room.hold(waiter);
      room.announce(waiter.key, SINCE + 1);
      expect(await held).toBe('changed');
      room.leave(waiter);
    }
    const held = room.hold(enter('last'));
    room.announce('last', SINCE + 1);
    expect(await outcome(held)).toBe('changed');
  });
});

describe('a release', () => {
  it('ends as many waits as it is asked to, the longest first', async () => {
    const held = ['a', 'b', 'c'].map((key) => room.hold(enter(key)));
    room.release(2);
    expect(await Promise.all(held.map(outcome))).toEqual(['released', 'released', undefined]);
    room.release(Infinity);
    expect(await outcome(held[2]!)).toBe('released');
  });

  it('is not undone by a change', async () => {
    const waiter = enter();
    room.release(1);
    room.announce('a', SINCE + 1);
    expect(await outcome(room.hold(waiter))).toBe('released');
  });
});

it('a client that hangs up ends its wait, once', async () => {
  const waiter = enter();
  const held = room.hold(waiter);
  room.end(waiter, 'abandoned');
  room.end(waiter, 'timedOut');
  expect(await outcome(held)).toBe('abandoned');
  room.leave(waiter);
  room.end(waiter, 'timedOut');
  expect(room.size).toBe(0);
});
