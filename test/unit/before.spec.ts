import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { before } from '../../src/time-limit.js';

const LATE = new Error('late');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what has to be done before a time is over', () => {
  it.each([
    ['its value', () => Promise.resolve('done'), { status: 'fulfilled', value: 'done' }],
    ['its failure', () => Promise.reject(new Error('failed')), { status: 'rejected', reason: new Error('failed') }],
  ])('has %s as its outcome, and leaves no timer behind', async (_what, work, outcome) => {
    expect(await Promise.allSettled([before(100, work(), () => LATE)])).toEqual([outcome]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is late only when the time is over, and what it comes to then is nobody’s concern', async () => {
    let fail!: (error: Error) => void;
    const settled = vi.fn();
    const bounded = before(100, new Promise((_, reject) => (fail = reject)), () => LATE);
    bounded.then(settled, settled);
    await vi.advanceTimersByTimeAsync(99);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledWith(LATE);
    fail(new Error('failed'));
    await expect(bounded).rejects.toBe(LATE);
    expect(vi.getTimerCount()).toBe(0);
  });
});
