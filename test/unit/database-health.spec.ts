import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DatabaseHealth } from '../../src/database/transaction.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('is good again soon after a disk was full, though nobody writes', () => {
  const health = new DatabaseHealth();
  health.noteWrite(false);
  vi.advanceTimersByTime(9_000);
  expect(health.isGood).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(health.isGood).toBe(true);
});

it('is good again as soon as something is written', () => {
  const health = new DatabaseHealth();
  health.noteWrite(false);
  health.noteWrite(true);
  expect(health.isGood).toBe(true);
});

it('remembers for a minute that a file is corrupt, whatever is written', () => {
  const health = new DatabaseHealth();
  health.noteBroken(new Error('malformed'));
  health.noteWrite(true);
  vi.advanceTimersByTime(59_000);
  expect(health.isGood).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(health.isGood).toBe(true);
});
