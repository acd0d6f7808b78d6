import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../test/support/servers/free-port.js';
import { USER_ID_SECRET } from './data.js';
import type { Job, JobResult } from './load/job.js';

/** Database connections of the service and the limit server: the service's default. */
export const POOL_SIZE = 10;

/** A server under test, in its own process. */
export interface Subject {
  name: string;
  pid: number;
  port: number;
  /** The time from the start of the process to the first response. */
  startMilliseconds: number;
  /** CPU time used so far, in milliseconds. */
  processorTime(): number;
  /** Resident memory in MiB. */
  residentMebibytes(): number;
  stop(): Promise<void>;
}

/** Those of the image, `npm start` and the systemd unit. */
const NODE_FLAGS = ['--max-semi-space-size=16'];

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** Starts the limit server on a database that has the schema. */
export function startLimitServer(databaseUrl: string): Promise<Subject> {
  const { COMMIT_EACH = 'false' } = process.env;
  const variables = { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: String(POOL_SIZE), COMMIT_EACH };
  return start('limit', join(import.meta.dirname, 'limit-server.js'), variables, []);
}

export interface ServiceOptions {
  databaseUrl: string;
  /** The URL of the identity provider. */
  issuer: string;
  name?: string;
  /** The folder with the built service; default `dist`. */
  build?: string;
  nodeFlags?: string[];
  /** Overridden settings. */
  variables?: Record<string, string>;
}

/** Starts the built service, configured for production; it migrates the database. */
export function startBuiltService({ databaseUrl, issuer, ...options }: ServiceOptions): Promise<Subject> {
  const variables = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    MIGRATE_ON_START: 'true',
    PUBLIC_URL: 'http://127.0.0.1',
    USER_ID_SECRET,
    SESSION_SECRET: 'benchmark-session-secret-of-enough-characters',
    OAUTH_URI: issuer,
    OAUTH_CLIENT_ID: 'reading-list',
    OAUTH_CLIENT_SECRET: 'development-client-secret',
    // 16 clients without pauses are no overload, but would add a header to each response.
    BACKOFF: 'off',
    ...options.variables,
  };
  const program = resolve(options.build ?? 'dist', 'src/main.js');
  return start(options.name ?? 'service', program, variables, [...NODE_FLAGS, ...(options.nodeFlags ?? [])]);
}

async function start(
  name: string,
  program: string,
  variables: Record<string, string>,
  flags: string[],
): Promise<Subject> {
  const port = await findFreePort();
  const begin = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-bench-'));
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn(variables.NODE ?? process.execPath, [...flags, program], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port), ...variables },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  children.add(child);
  const exited = once(child, 'exit').then(() => children.delete(child));
  for (const end = begin + 20_000; !(await answers(port)); await sleep(5))
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`the ${name} did not start: see ${folder}/log`);
  return {
    name,
    pid: child.pid!,
    port,
    startMilliseconds: performance.now() - begin,
    processorTime: () => processorTime(child.pid!),
    residentMebibytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    stop: async () => {
      // A process writes its profile only when it exits on its own.
      child.kill(flags.some((flag) => flag.startsWith('--cpu-prof')) ? 'SIGTERM' : 'SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/__lbheartbeat__`).then(
    async (response) => (await response.arrayBuffer(), true),
    () => false,
  );

const CLOCK_TICKS_PER_SECOND = 100;

/** The CPU time that a process has used so far, in milliseconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS_PER_SECOND;
}

/** Starts the process that generates the load. */
export interface Client {
  pid: number;
  run(job: Job): Promise<JobResult>;
  stop(): void;
}

export function startClient(): Client {
  const child = fork(join(import.meta.dirname, 'load/client.js'));
  children.add(child);
  return {
    pid: child.pid!,
    run: async (job) => {
      child.send(job);
      const [result] = (await once(child, 'message')) as [JobResult & { failure?: string }];
      if (result.failure !== undefined) throw new Error(`${job.operation}: ${result.failure}`);
      return result;
    },
    stop: () => void child.kill(),
  };
}

/**
 * Pins the client to one CPU, and the main threads of the servers, which take turns, to another: on a quiet machine the
 * kernel would run both on the same CPU while the other is idle. Needs util-linux.
 */
export function keepApart(client: Client, servers: Subject[]): void {
  const tie = (pid: number, processor: number) =>
    execFileSync('taskset', ['--pid', '--cpu-list', String(processor), String(pid)]);
  tie(client.pid, 1);
  for (const { pid } of servers) tie(pid, 0);
}
