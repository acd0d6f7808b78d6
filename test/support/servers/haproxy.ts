import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram, runCommand } from './command.js';
import { findFreePort } from './free-port.js';
import { balancerConfig, type BalancerOptions } from './haproxy-config.js';
import { ensureDebianPackages } from './packages.js';
import { type ServerProcess, startServer } from './process.js';
import { type RunningServer } from './running-server.js';
import { createScratchFolder } from './scratch-folder.js';

/** A running HAProxy; its `pid` is the master's. */
export interface Haproxy extends RunningServer {
  /** The port of the configuration's first `bind 127.0.0.1:PORT`. */
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Reloads without refusing connections, with a new configuration if given; resolves once it is active. */
  reload(config?: string | BalancerOptions): Promise<void>;
  /** Runs a command of the runtime API, such as `show stat` or `disable server app/s1`, and returns its output. */
  command(text: string): Promise<string>;
  /** The statistics of a server of the backend or listener `proxy`, by their names. */
  statisticsOf(proxy: string, server: string): Promise<Record<string, string>>;
}

/**
 * Starts HAProxy, installing it if missing, as a load balancer for HTTP servers or with a complete configuration.
 * Throws HAProxy's own message when it rejects the configuration.
 */
export async function startHaproxy(config: string | BalancerOptions): Promise<Haproxy> {
  await ensureDebianPackages({ haproxy: 'haproxy' });
  const folder = createScratchFolder();
  const freePort = await findFreePort();
  const takeConfig = (next: string | BalancerOptions) =>
    writeConfig(folder.path, typeof next === 'string' ? next : balancerConfig(next, freePort));
  const port = await takeConfig(config).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  const command = (text: string) => askSocket(join(folder.path, 'socket'), text);
  const process = await startServer({
    command: haproxyProgram(),
    args: ['-W', '-db', '-f', join(folder.path, 'control.cfg'), '-f', join(folder.path, 'main.cfg')],
    folder,
    ready: () => command('show info'),
  });
  const reload = async (next?: string | BalancerOptions) => {
    if (next !== undefined) await takeConfig(next);
    await reloadWorker(process, command);
  };
  const statisticsOf = async (proxy: string, server: string) => statisticsIn(await command('show stat'), proxy, server);
  return Object.assign(process, { port, url: `http://127.0.0.1:${port}`, reload, command, statisticsOf });
}

function statisticsIn(csv: string, proxy: string, server: string): Record<string, string> {
  const [names, ...rows] = csv
    .replace(/^# /, '')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const row = rows.find(([first, second]) => first === proxy && second === server);
  if (!row) throw new Error(`HAProxy has no server ${proxy}/${server}`);
  return Object.fromEntries(names!.map((name, at) => [name, row[at]!]));
}

function haproxyProgram(): string {
  return findProgram('haproxy') ?? 'haproxy';
}

/** Installs a configuration if HAProxy accepts it, and returns the port of its first bind. */
async function writeConfig(folder: string, text: string): Promise<number> {
  // A separate file, so that a configuration given as text gets the control socket too.
  const control = join(folder, 'control.cfg');
  await writeFile(
    control,
    `global\n  stats socket ${join(folder, 'socket')} mode 600 level admin\n  hard-stop-after 5s\n`,
  );
  const candidate = join(folder, 'candidate.cfg');
  await writeFile(candidate, text);
  await runCommand(haproxyProgram(), ['-c', '-f', control, '-f', candidate]);
  await rename(candidate, join(folder, 'main.cfg'));
  return Number(/bind 127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
}

async function reloadWorker(process: ServerProcess, command: (text: string) => Promise<string>): Promise<void> {
  const workerPid = async () => /^Pid: (\d+)/m.exec(await command('show info'))?.[1];
  const before = await workerPid();
  process.signal('SIGUSR2');
  const deadline = performance.now() + 10_000;
  while ((await workerPid().catch(() => before)) === before) {
    if (performance.now() > deadline) throw new Error('HAProxy has not reloaded after 10 s');
    await sleep(20);
  }
}

function askSocket(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(path, () => socket.write(`${text}\n`));
    socket.setTimeout(2000, () => socket.destroy(new Error('no response from HAProxy')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.once('error', reject);
  });
}
