import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/database/turns.js';

const account = Buffer.alloc(16);

/** Work that ends when it is told to. */
function work() {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  let isRunning = false;
  return {
    run: () => {
      isRunning = true;
      return done;
    },
    end: () => end(),
    get isRunning() {
      return isRunning;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a turn', () => {
  it('comes when an earlier task of the same account has ended', async () => {
    const turns = new Turns(1, 60_000);
    const [first, second] = [work(), work()];
    const both = [turns.run({ statements: 0, account }, first.run), turns.run({ statements: 0, account }, second.run)];
    await settled();
    expect([first.isRunning, second.isRunning, turns.queued]).toEqual([true, false, 1]);
    first.end();
    await settled();
    expect([second.isRunning, turns.queued]).toEqual([true, 0]);
    second.end();
    await Promise.all(both);
  });

  it('is given up when the client is gone, and the next one comes', async () => {
    const turns = new Turns(1, 60_000);
    const [first, gone, third] = [work(), work(), work()];
    let leave = (): void => undefined;
    const tally = { statements: 0, account, whenOver: (action: () => void) => void (leave = action) };
    const running = turns.run({ statements: 0, account }, first.run);
    const refused = expect(turns.run(tally, gone.run)).rejects.toMatchObject({ status: 503 });
    const last = turns.run({ statements: 0, account }, third.run);
    expect(turns.queued).toBe(2);
    leave();
    await refused;
    expect(turns.queued).toBe(1);
    first.end();
    await settled();
    expect([gone.isRunning, third.isRunning]).toEqual([false, true]);
    // Too late: nothing waits any more.
    leave();
    third.end();
    await Promise.all([running, last]);
  });
});
