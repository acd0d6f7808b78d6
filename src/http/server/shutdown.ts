import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.factory.js';

/** How long a load balancer has to notice that this instance is leaving before it stops accepting connections. */
const NOTICE_MS = 1_500;
/** How long requests in flight may then take. */
const GRACE_MS = 5_500;
const SWEEP_MS = 100;

/**
 * Takes the instance out of service: `/__lbheartbeat__` responds 503 and every response closes its connection; then no
 * more connections are accepted, requests in flight are completed, and those a client never finishes are cut off. Takes
 * at most ten seconds.
 */
export async function shutDown({ nest, server, status }: App): Promise<void> {
  status.drain();
  const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)));
  if (connections > 0) await sleep(NOTICE_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  await Promise.race([closed, sleep(GRACE_MS + SWEEP_MS)]);
  clearInterval(sweep);
  clearTimeout(cut);
  await Promise.race([nest.close(), sleep(1_000)]);
}
