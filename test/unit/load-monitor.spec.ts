import { afterEach, describe, expect, it } from 'vitest';
import { LoadMonitor } from '../../src/http/load/load-monitor.js';

const request = { whenAnswered: () => undefined };

describe('the load', () => {
  const monitor = new LoadMonitor();
  afterEach(() => monitor.stop());

  it('is full with 400 requests in flight, but for those that wait for others of the same user', () => {
    let queued = 0;
    monitor.start({ database: () => ({ used: 1, waiting: 0, queued }), connections: 1 });
    const admitted = (requests: number) => Array.from({ length: requests }, () => monitor.admit(request));
    expect(admitted(401)).toEqual([...Array<boolean>(400).fill(true), false]);
    queued = 350;
    expect(admitted(351)).toEqual([...Array<boolean>(350).fill(true), false]);
    queued = 10_000;
    expect(admitted(1_251)).toEqual([...Array<boolean>(1_250).fill(true), false]);
    expect(monitor.refused).toBe(3);
  });
});
