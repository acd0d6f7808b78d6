import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Request } from 'express';
import { expect, it } from 'vitest';
import { AuthGuard } from '../../src/auth/auth.guard.js';
import type { DeprovisionedUsers } from '../../src/auth/tokens/deprovisioned-users.js';
import type { TokenVerifier } from '../../src/auth/tokens/token-verifier.js';
import { readSettings } from '../../src/config/load-settings.js';
import type { ServiceStatus } from '../../src/http/service-status.js';
import { RateLimiter } from '../../src/rate-limit/rate-limiter.js';

const KILOBYTES = 10;
const REQUESTS = 2_000;

setFlagsFromString('--expose-gc');
const collectYoung = runInNewContext('() => gc({ type: "minor" })') as () => void;

const settings = readSettings({});
const sender = { account: Buffer.alloc(16), key: 'key' };
const verifier = { cached: () => sender } as unknown as TokenVerifier;
const deprovisioned = { refuse: () => Promise.resolve() } as unknown as DeprovisionedUsers;
const guard = new AuthGuard(settings, new RateLimiter(), verifier, deprovisioned, {} as ServiceStatus);

it('a request is garbage once it is authenticated, without a full collection', async () => {
  const authenticate = async () => {
    const rest = new Array(KILOBYTES * 128).fill(0);
    const request = { ip: '127.0.0.1', headers: { authorization: 'Bearer token' }, rest };
    await guard.senderOf(request as unknown as Request);
  };
  await authenticate();
  collectYoung();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < REQUESTS; at++) {
    await authenticate();
    if (at % 100 === 99) collectYoung();
  }
  // What survives twice is old, and only a full collection would find that it is garbage.
  collectYoung();
  collectYoung();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((REQUESTS * KILOBYTES * 1024) / 4);
});
