import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Ending, type HeldPoll, HeldPolls } from '../../src/polling/held-polls.js';

const SINCE = 1_000;

let polls: HeldPolls;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  polls = new HeldPolls({ waitingPerUser: 3, waitingMax: 100 });
});
afterEach(() => vi.useRealTimers());

const enter = (key = 'a', ms = 10_000): HeldPoll => polls.enter(key, ms)!;
const hold = (poll: HeldPoll, since = SINCE) => polls.hold(poll, since);
/** How a hold ended; undefined while it goes on. */
async function outcome(held: Promise<Ending>): Promise<Ending | undefined> {
  return Promise.race([held, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))]);
}

describe('a change', () => {
  it('wakes who is held for that account, and nobody else', async () => {
    const [mine, others] = [hold(enter('a')), hold(enter('b'))];
    polls.announce('a', SINCE + 1);
    expect([await outcome(mine), await outcome(others)]).toEqual(['changed', undefined]);
  });

  it('that is announced between the first look and the hold ends it at once', async () => {
    const poll = enter();
    polls.announce('a', SINCE + 1);
    expect(await outcome(hold(poll))).toBe('changed');
  });

  it.each([SINCE - 1, SINCE])('the device knows of wakes nobody: %i', async (last_modified) => {
    const poll = enter();
    polls.announce('a', last_modified);
    const held = hold(poll);
    polls.announce('a', last_modified);
    expect(await outcome(held)).toBeUndefined();
  });
});

describe('time', () => {
  it('ends a hold when it is over, not before', async () => {
    const held = hold(enter('a', 2_000));
    vi.advanceTimersByTime(1_999);
    expect(await outcome(held)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(await outcome(held)).toBe('timedOut');
  });

  it('that was over while the device looked ends the hold at once', async () => {
    const poll = enter('a', 500);
    vi.advanceTimersByTime(600);
    expect(await outcome(hold(poll))).toBe('timedOut');
  });
});

describe('the number of polls', () => {
  it('is bounded for each user, and given back', () => {
    const some = [enter(), enter(), enter()];
    expect(polls.enter('a', 1)).toBeUndefined();
    expect(polls.enter('b', 1)).toBeDefined();
    polls.leave(some[0]!);
    polls.leave(some[0]!);
    expect(polls.enter('a', 1)).toBeDefined();
    expect(polls.enter('a', 1)).toBeUndefined();
    expect(polls.counts.refused).toBe(2);
  });

  it('is bounded for all together', () => {
    for (let at = 0; at < 100; at++) expect(polls.enter(`u${at}`, 1)).toBeDefined();
    expect(polls.enter('one more', 1)).toBeUndefined();
    expect(polls.size).toBe(100);
  });

  it('is none when the last one has left, and no timer is', () => {
    const some = [enter('a'), enter('a'), enter('b')];
    expect(polls.accounts()).toEqual(['a', 'b']);
    for (const poll of some) polls.leave(poll);
    expect([polls.accounts(), polls.size, vi.getTimerCount()]).toEqual([[], 0, 0]);
  });
});

describe('a release', () => {
  it('ends as many polls as it is asked to, the longest first', async () => {
    const held = ['a', 'b', 'c'].map((key) => hold(enter(key)));
    polls.release(2);
    expect(await Promise.all(held.map(outcome))).toEqual(['released', 'released', undefined]);
    polls.release(Infinity);
    expect(await outcome(held[2]!)).toBe('released');
  });

  it('is not undone by a change', async () => {
    const poll = enter();
    polls.release(1);
    polls.announce('a', SINCE + 1);
    expect(await outcome(hold(poll))).toBe('released');
  });
});

it('a client that hangs up ends its poll, once', async () => {
  const poll = enter();
  const held = hold(poll);
  polls.end(poll, 'abandoned');
  polls.end(poll, 'timedOut');
  expect(await outcome(held)).toBe('abandoned');
  polls.leave(poll);
  polls.end(poll, 'timedOut');
  expect(polls.size).toBe(0);
});
