import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** False where users may not make process namespaces, as in most containers. */
export const canBeFirstProcess = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

/** Runs a built program as the first process of a namespace, like that of a container. */
export const spawnFirstProcess = (words: string[], options: SpawnOptions): ChildProcess =>
  spawn('unshare', ['--pid', '--fork', process.execPath, resolve(words[0]!), ...words.slice(1)], options);

/** Sends a signal to the first process of the namespace. */
export function signalFirstProcess({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()), signal);
}
