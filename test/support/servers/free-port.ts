import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const handedOut = new Set<number>();

/**
 * A TCP port of 127.0.0.1 that nobody listens on and that this process has not been given before. It lies below the
 * range of outgoing connections: there, a client's own port could take the place of a server that is down for a moment.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
