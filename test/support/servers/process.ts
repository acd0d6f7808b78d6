import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './at-exit.js';
import { findProgram } from './command.js';
import { type RunningServer } from './running-server.js';
import { type ScratchFolder } from './scratch-folder.js';

/** How to start a server process, and how to tell that it is ready. */
export interface Launch {
  command: string;
  /** A function is called for each start. */
  args: string[] | (() => Promise<string[]>);
  /** The folder of the server's files; stdout and stderr are appended to `log` in it. */
  folder: ScratchFolder;
  /** Tried every 20 ms; rejects as long as the server is not ready. */
  ready: () => Promise<unknown>;
  /** Default 30. */
  readyTimeoutSeconds?: number;
  /** The operating-system user to run as; only possible as root. */
  user?: string;
}

const stopTimeoutSeconds = 15;
const pollMs = 20;

/**
 * A server in its own process session that can be stopped, killed and restarted. It dies with the thread that started
 * it, even after SIGKILL (if util-linux is installed).
 */
export class ServerProcess implements RunningServer {
  private readonly launch: Launch;
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();

  constructor(launch: Launch) {
    this.launch = launch;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    if (this.child) return;
    const { args } = this.launch;
    this.spawn(typeof args === 'function' ? await args() : args);
    try {
      await this.untilReady();
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.child?.ref();
    this.signal('SIGTERM');
    this.signal('SIGCONT');
    const impatience = setTimeout(() => this.signal('SIGKILL'), stopTimeoutSeconds * 1000);
    await this.exited;
    clearTimeout(impatience);
  }

  async kill(): Promise<void> {
    this.child?.ref();
    this.signal('SIGKILL');
    await this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.pid) return;
    const wholeGroup = ['SIGKILL', 'SIGSTOP', 'SIGCONT'].includes(signal);
    try {
      process.kill(wholeGroup ? -this.pid : this.pid, signal);
    } catch {
      // It ended a moment ago.
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    this.launch.folder.remove();
  }

  private spawn(launchArgs: string[]): void {
    const log = openSync(this.logFile, 'a');
    const [command = '', ...args] = commandLine(this.launch, launchArgs);
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.unref();
    const forget = atExit(() => this.signal('SIGKILL'));
    this.child = child;
    this.exited = new Promise((resolve) => {
      const gone = () => {
        forget();
        if (this.child === child) this.child = undefined;
        resolve();
      };
      child.once('exit', gone).once('error', gone);
    });
  }

  private async untilReady(): Promise<void> {
    const { command, ready, readyTimeoutSeconds = 30 } = this.launch;
    const deadline = performance.now() + readyTimeoutSeconds * 1000;
    while (this.child) {
      const refusal = await ready().then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (refusal === undefined && this.child) return;
      if (performance.now() > deadline) {
        throw new Error(`${command} is not ready after ${readyTimeoutSeconds} s (${refusal})\n${this.logTail()}`);
      }
      await sleep(pollMs);
    }
    throw new Error(`${command} ended before it was ready\n${this.logTail()}`);
  }

  private get logFile(): string {
    return join(this.launch.folder.path, 'log');
  }

  private logTail(): string {
    return readFileSync(this.logFile, 'utf8').slice(-3000);
  }
}

/** Creates and starts a server; removes its files if it does not become ready. */
export async function startServer(launch: Launch): Promise<ServerProcess> {
  const server = new ServerProcess(launch);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.remove();
    throw error;
  }
}

function commandLine({ command, user }: Launch, args: string[]): string[] {
  const setpriv = findProgram('setpriv');
  if (!setpriv) return [command, ...args];
  // The server must not change its user itself, because that would clear the parent-death signal.
  const asUser = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : [];
  return [setpriv, ...asUser, '--pdeathsig=KILL', '--', command, ...args];
}
