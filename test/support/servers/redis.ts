import { connect } from 'node:net';
import { findProgram } from './command.js';
import { findFreePort } from './free-port.js';
import { ensureDebianPackages } from './packages.js';
import { startServer } from './process.js';
import { type RunningServer } from './running-server.js';
import { createScratchFolder } from './scratch-folder.js';

/** A throw-away Redis on 127.0.0.1 without persistence: after a stop or kill it starts empty. */
export interface RedisServer extends RunningServer {
  readonly port: number;
  /** `redis://127.0.0.1:PORT`. */
  readonly url: string;
}

/** Starts a Redis, installing it if missing. `port` defaults to a free one. */
export async function startRedis(options: { port?: number; extraFlags?: string[] } = {}): Promise<RedisServer> {
  await ensureDebianPackages({ 'redis-server': 'redis-server' });
  const { port = await findFreePort(), extraFlags = [] } = options;
  const folder = createScratchFolder();
  const flags = `--port ${port} --bind 127.0.0.1 --appendonly no --dir ${folder.path}`.split(' ');
  const process = await startServer({
    command: findProgram('redis-server') ?? 'redis-server',
    args: [...flags, '--save', '', ...extraFlags],
    folder,
    ready: () => answersPing(port),
  });
  return Object.assign(process, { port, url: `redis://127.0.0.1:${port}` });
}

/** Resolves when a server responds. Any response will do: a server that requires a password is up too. */
export function answersPing(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1000, () => socket.destroy(new Error('no response to PING')));
    socket.once('data', () => {
      resolve();
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}
