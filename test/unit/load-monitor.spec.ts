import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoadMonitor } from '../../src/http/load-monitor.js';

const POOL = 10;
const usage = { used: 0, waiting: 0, queued: 0 };
const memory = { queued: 0 };
const request = { whenResponded: () => undefined };

let monitor: LoadMonitor;
beforeEach(() => {
  Object.assign(usage, { used: 0, waiting: 0, queued: 0 });
  memory.queued = 0;
  monitor = new LoadMonitor({ databasePoolSize: POOL }, { usage: () => usage }, memory);
});
afterEach(() => monitor.onApplicationShutdown());

const admit = (count: number): boolean[] => Array.from({ length: count }, () => monitor.admit(request));

describe('the load', () => {
  it.each([
    [149, 'normal'],
    [150, 'busy'],
    [399, 'busy'],
    [400, 'full'],
  ])('of %i requests in flight is %s', (count, load) => {
    admit(count);
    expect(monitor.load).toBe(load);
  });

  it.each([
    [39, 'normal'],
    [40, 'busy'],
    [199, 'busy'],
    [200, 'full'],
  ])('of %i callers that wait for ten connections is %s', (waiting, load) => {
    usage.waiting = waiting;
    expect(monitor.load).toBe(load);
  });

  it('is full with 400 requests in flight, but for those that wait for others of the same user', () => {
    expect(admit(401)).toEqual([...Array<boolean>(400).fill(true), false]);
    usage.queued = 350;
    expect(admit(351)).toEqual([...Array<boolean>(350).fill(true), false]);
    usage.queued = 10_000;
    expect(admit(1_251)).toEqual([...Array<boolean>(1_250).fill(true), false]);
    expect(monitor.refused).toBe(3);
  });

  it('is full with 400 requests in flight, but for those that wait for memory which others of the same user have', () => {
    memory.queued = 300;
    expect(admit(701)).toEqual([...Array<boolean>(700).fill(true), false]);
  });

  it.each([
    [100, 15, 'normal'],
    [100, 16, 'busy'],
    [300, 63, 'busy'],
    [300, 64, 'full'],
  ])('of an event loop whose turns take %i ms, with %i requests in flight, is %s', async (ms, count, load) => {
    admit(count);
    const end = performance.now() + 1_500;
    for (; performance.now() < end || monitor.delayMs === 0; await nextTurn()) block(ms);
    expect(monitor.load).toBe(load);
  });
});

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('a request that is answered, or waits for something else, is not in flight', async () => {
  let answer = (): void => undefined;
  monitor.admit({ whenResponded: (action) => void (answer = () => action(0)) });
  expect(monitor.inFlight).toBe(1);
  const work = Promise.resolve().then(() => expect(monitor.inFlight).toBe(0));
  await work.finally(monitor.pause({ whenOver: () => undefined }));
  expect(monitor.inFlight).toBe(1);
  answer();
  expect(monitor.inFlight).toBe(0);
});

it('a request whose client leaves while it waits is subtracted once, and at once', async () => {
  let leave = (): void => undefined;
  let finish = (): void => undefined;
  const work = new Promise<void>((resolve) => (finish = resolve));
  monitor.admit({ whenResponded: (action) => void (leave = () => action(0)) });
  const resume = monitor.pause({
    whenOver: (action) => {
      const before = leave;
      leave = () => (before(), action());
    },
  });
  const waiting = work.finally(resume);
  leave();
  await nextTurn();
  expect(monitor.inFlight).toBe(0);
  finish();
  await waiting;
  expect(monitor.inFlight).toBe(0);
});
