import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { findFreePort } from './free-port.js';
import { ProxiedConnection, type ProxyFaults } from './proxied-connection.js';

/** A COMMIT as the driver sends it, after a control character: a new connection also sets READ COMMITTED. */
export const COMMIT_REQUEST = /[\x00-\x1f]COMMIT/;

/** A TCP proxy on 127.0.0.1 that can simulate network faults. Faults accumulate until `restore`. */
export interface TcpProxy {
  readonly port: number;
  /** How many clients are connected. */
  readonly connections: number;
  /** New connections are refused (ECONNREFUSED) and open ones cut, as if the server were down. */
  refuse(): Promise<void>;
  /** Resets every open connection (ECONNRESET); new ones are accepted. */
  cut(): void;
  /** Stops forwarding in both directions; connections are accepted and stay open. */
  hang(): void;
  /** Delays everything by this much, in both directions. */
  delay(milliseconds: number): void;
  /** Ends all faults and forwards what was held back. Connections that were cut stay cut. */
  restore(): Promise<void>;
  /**
   * Forwards the next request that contains the pattern, but drops the response and cuts the connection: the server has
   * executed what the client does not know of. Resolves then. Happens once.
   */
  cutAfterRequest(pattern: string | RegExp): Promise<void>;
  /** Drops the next chunk that contains the pattern and cuts the connection: the server never sees it. Happens once. */
  cutBeforeRequest(pattern: string | RegExp): Promise<void>;
  /** Cuts every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts a proxy, in this process, for a port of 127.0.0.1. */
export async function startTcpProxy(targetPort: number, listenPort?: number): Promise<TcpProxy> {
  const port = listenPort ?? (await findFreePort());
  const faults: ProxyFaults = { hanging: false, delayMs: 0, trap: undefined };
  const connections = new Set<ProxiedConnection>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client: Socket) => {
    const connection = new ProxiedConnection(client, targetPort, faults, () => connections.delete(connection));
    connections.add(connection);
  });
  const cut = () => [...connections].forEach((connection) => connection.cut());
  const refuse = async () => {
    const closed = stopListening(server);
    cut();
    await closed;
  };
  const setTrap = (pattern: string | RegExp, when: 'before' | 'after') =>
    new Promise<void>((sprung) => (faults.trap = { pattern, when, sprung }));
  await listen(server, port);
  return {
    port,
    get connections() {
      return connections.size;
    },
    refuse,
    cut,
    hang: () => void (faults.hanging = true),
    delay: (milliseconds) => void (faults.delayMs = milliseconds),
    restore: async () => {
      Object.assign(faults, { hanging: false, delayMs: 0, trap: undefined });
      connections.forEach((connection) => connection.flush());
      await listen(server, port);
    },
    cutAfterRequest: (pattern) => setTrap(pattern, 'after'),
    cutBeforeRequest: (pattern) => setTrap(pattern, 'before'),
    close: refuse,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  if (server.listening) return;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise((resolve) => server.close(resolve));
}
