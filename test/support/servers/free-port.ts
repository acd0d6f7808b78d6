import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const RECENT = 5_000;
/** The latest ones only: a long run takes more ports than there are. */
const handedOut = new Set<number>();

/**
 * A free TCP port of 127.0.0.1 that this process has not used recently. It is below the ephemeral range: there, a
 * client's own port could take the place of a server that is briefly down.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    if (handedOut.size > RECENT) handedOut.delete(handedOut.values().next().value!);
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
