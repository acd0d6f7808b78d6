import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Release, Semaphore, type SemaphoreLimits, type SlotCaller } from '../../src/semaphore.js';

const LIMITS = { timeoutMs: 1_000, refusal: 'Too many are under way' };
const REFUSED = { status: 503, errno: 201, message: 'Too many are under way' };

/** Acquires slots under a name, and notes in which order that succeeds. */
function admissions(limits: Partial<SemaphoreLimits>) {
  const semaphore = new Semaphore({ ...LIMITS, ...limits });
  const admitted: string[] = [];
  const releases = new Map<string, Release>();
  const acquire = async (name: string, key: string, slots = 1, caller: SlotCaller = {}): Promise<void> => {
    releases.set(name, await semaphore.acquire(key, caller, slots));
    admitted.push(name);
  };
  return { semaphore, admitted, acquire, release: (name: string) => releases.get(name)!() };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a semaphore', () => {
  it('admits as many callers as there are slots, and the next ones in order of arrival', async () => {
    const { semaphore, admitted, acquire, release } = admissions({ slots: 2 });
    for (const name of ['1', '2', '3', '4']) void acquire(name, name);
    await settled();
    expect([admitted, semaphore.waiting]).toEqual([['1', '2'], 2]);
    release('2');
    await settled();
    release('1');
    await settled();
    expect([admitted, semaphore.waiting]).toEqual([['1', '2', '3', '4'], 0]);
  });

  it('lets others pass while one key has all its slots', async () => {
    const { admitted, acquire, release } = admissions({ slots: 3, slotsPerKey: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1']) void acquire(name, name[0]!);
    await settled();
    expect(admitted).toEqual(['a1', 'b1']);
    release('a1');
    await settled();
    expect(admitted).toEqual(['a1', 'b1', 'a2']);
  });

  it('makes others wait for nothing where only keys have limits', async () => {
    const { admitted, acquire } = admissions({ slotsPerKey: 1 });
    for (const name of ['a1', 'a2']) void acquire(name, 'a');
    const other = Object.defineProperty({}, 'signal', {
      get: () => {
        throw new Error('read though it does not wait');
      },
    });
    await acquire('b1', 'b', 1, other);
    expect(admitted).toEqual(['a1', 'b1']);
  });

  it('keeps the limit of a key of which somebody had no slots', async () => {
    const { admitted, acquire, release } = admissions({ slotsPerKey: 1 });
    await acquire('none', 'a', 0);
    await acquire('first', 'a');
    release('first');
    await acquire('second', 'a');
    release('none');
    void acquire('third', 'a');
    await settled();
    expect(admitted).toEqual(['none', 'first', 'second']);
  });

  it('tells how many wait for others with the same key', async () => {
    const { semaphore, acquire, release } = admissions({ slots: 3, slotsPerKey: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'd1']) void acquire(name, name[0]!);
    await settled();
    expect([semaphore.waiting, semaphore.queued]).toEqual([3, 2]);
    release('a1');
    await settled();
    expect([semaphore.waiting, semaphore.queued]).toEqual([2, 1]);
  });

  it('does not admit small callers before a larger one that came first', async () => {
    const { admitted, acquire, release } = admissions({ slots: 3 });
    void acquire('first', 'a', 2);
    void acquire('large', 'b', 3);
    void acquire('small', 'c', 1);
    await settled();
    expect(admitted).toEqual(['first']);
    release('first');
    await settled();
    expect(admitted).toEqual(['first', 'large']);
    release('large');
    await settled();
    expect(admitted).toEqual(['first', 'large', 'small']);
  });

  it('admits a caller that wants more slots than there are, when all are free', async () => {
    const { admitted, acquire, release } = admissions({ slots: 4, slotsPerKey: 2 });
    void acquire('1', 'a', 1);
    void acquire('2', 'a', Infinity);
    await settled();
    expect(admitted).toEqual(['1']);
    release('1');
    await settled();
    expect(admitted).toEqual(['1', '2']);
  });

  it('takes a slot back once, however often it is released', async () => {
    const { admitted, acquire, release } = admissions({ slots: 1 });
    for (const name of ['1', '2', '3']) void acquire(name, 'a');
    await settled();
    release('1');
    release('1');
    await settled();
    expect(admitted).toEqual(['1', '2']);
  });

  it('refuses a caller after the time limit, and admits those behind it', async () => {
    const { semaphore, admitted, acquire, release } = admissions({ slots: 2 });
    void acquire('1', 'a', 1);
    const large = expect(acquire('large', 'b', 2)).rejects.toMatchObject(REFUSED);
    await vi.advanceTimersByTimeAsync(500);
    void acquire('small', 'c', 1);
    await vi.advanceTimersByTimeAsync(499);
    expect(admitted).toEqual(['1']);
    await vi.advanceTimersByTimeAsync(1);
    await large;
    expect([admitted, semaphore.waiting]).toEqual([['1', 'small'], 0]);
    release('1');
    release('small');
    await acquire('next', 'd', 2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses a caller of whose key too many wait', async () => {
    const { admitted, acquire } = admissions({ slots: 1, waitingPerKey: 1 });
    void acquire('1', 'a');
    void acquire('2', 'a');
    await expect(acquire('3', 'a')).rejects.toMatchObject(REFUSED);
    void acquire('4', 'b');
    await settled();
    expect(admitted).toEqual(['1']);
  });

  it('refuses a waiting caller whose signal fires, and only a waiting one', async () => {
    const { semaphore, admitted, acquire, release } = admissions({ slots: 1 });
    const controllers = [new AbortController(), new AbortController(), new AbortController()];
    const [holder, gone, next] = controllers.map(({ signal }) => signal);
    void acquire('1', 'a', 1, { signal: holder });
    const refused = expect(acquire('2', 'a', 1, { signal: gone })).rejects.toMatchObject(REFUSED);
    void acquire('3', 'b', 1, { signal: next });
    for (const controller of controllers.slice(0, 2)) controller.abort();
    await refused;
    expect([admitted, semaphore.waiting]).toEqual([['1'], 1]);
    release('1');
    await settled();
    expect(admitted).toEqual(['1', '3']);
    expect(getEventListeners(next!, 'abort')).toEqual([]);
    await expect(acquire('4', 'a', 1, { signal: gone })).rejects.toMatchObject(REFUSED);
  });

  it('releases the slot when the work that it was taken for fails', async () => {
    const semaphore = new Semaphore({ ...LIMITS, slots: 1 });
    const failing = semaphore.run('a', {}, () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(await semaphore.run('a', {}, () => Promise.resolve('done'))).toBe('done');
  });
});
