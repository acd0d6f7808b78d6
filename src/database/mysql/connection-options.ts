import { connect, type Socket } from 'node:net';
import type { ConnectionOptions } from 'mysql2';
import { readServerUrl, readTlsFiles, type ServerUrl, type TlsChoice } from '../../config/database-url.js';

const KEEP_ALIVE_MS = 10_000;

/** How to connect to a server, as mysql2 takes it. */
export type ServerOptions = Omit<ConnectionOptions, 'stream'> & {
  /** Called for the socket of each new connection. */
  stream: () => Socket;
};

/** How to connect to the server of a `DATABASE_URL`. */
export function connectionOptions(url: string): ServerOptions {
  const server = readServerUrl(url);
  const { host, port, user, password, database, socket, tls } = server;
  const common = { host, port, user, password, database, socketPath: socket };
  if (!tls) return { ...common, stream: () => socketTo(server) };
  const ssl = tlsOptions(tls);
  return { ...common, ssl, stream: () => (renew(ssl, tls), socketTo(server)) };
}

const tlsOptions = (tls: TlsChoice) => ({
  ...readTlsFiles(tls),
  rejectUnauthorized: tls.verifiesAuthority,
  verifyIdentity: tls.verifiesHost,
  minVersion: 'TLSv1.2',
});

/**
 * Reads the certificates again, because they may have been renewed; keeps the ones it has while the files do not fit.
 * mysql2 looks at its TLS options only after it has asked for the socket.
 */
function renew(ssl: ReturnType<typeof tlsOptions>, tls: TlsChoice): void {
  try {
    Object.assign(ssl, readTlsFiles(tls));
  } catch {
    // Somebody is replacing them.
  }
}

function socketTo({ host, port, socket: path }: ServerUrl): Socket {
  if (path !== undefined) return connect(path);
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // mysql2 names no host to Node's TLS if it is an IP address, and Node would compare the certificate with "localhost".
  // Before that it looks at this property, which it sets itself for host names.
  return Object.assign(socket, { _host: host });
}
