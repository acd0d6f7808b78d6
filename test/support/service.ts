import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any start takes that gets little of the processor: suites run beside each other. */
const START_TIMEOUT_MS = 60_000;

/** The built service in its own process. */
export interface Service {
  url: string;
  process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Sends SIGTERM and resolves with the exit status. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Options of a service process besides its environment variables. */
export interface ServiceOptions {
  /** By how many milliseconds its clock is off. */
  clockSkewMs?: number;
  /** The folder of another build, which has `dist/`; by default this one. */
  build?: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts the built service on a free port, with only the given settings; rejects with its output. */
export async function startService(variables: Record<string, string>, options: ServiceOptions = {}): Promise<Service> {
  const child = spawnService(variables, options);
  const output = outputOf(child);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  void exited.then(() => running.delete(child));
  for (const end = Date.now() + START_TIMEOUT_MS; !/listening on (\S+)/.test(output()); await sleep(10))
    if (child.exitCode !== null || Date.now() > end) throw new Error(`the service did not start:\n${output()}`);
  return {
    url: /listening on (\S+)/.exec(output())![1]!,
    process: child,
    output,
    stop: async () => {
      child.kill('SIGTERM');
      return (await exited)[0];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs the built service until it exits on its own; resolves with its exit status and output. */
export async function runService(
  variables: Record<string, string>,
): Promise<{ status: number | null; output: string }> {
  const child = spawnService(variables, {});
  const output = outputOf(child);
  const [status] = (await once(child, 'exit')) as [number | null];
  running.delete(child);
  return { status, output: output() };
}

/** The process's output so far, on both streams. */
function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk));
  return () => output;
}

function spawnService(
  variables: Record<string, string>,
  { clockSkewMs = 0, build = '.' }: ServiceOptions,
): ChildProcess {
  const skew = clockSkewMs === 0 ? [] : ['--import', resolve('test/support/skewed-clock.mjs')];
  const child = spawn(process.execPath, [...skew, resolve(build, 'dist/src/main.js')], {
    cwd: mkdtempSync(join(tmpdir(), 'reading-list-service-')),
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'fatal', CLOCK_SKEW_MS: String(clockSkewMs), ...variables },
    stdio: 'pipe',
  });
  running.add(child);
  return child;
}
