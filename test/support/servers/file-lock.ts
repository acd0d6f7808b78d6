import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a task while holding an exclusive lock on a file, which is created when missing; waits for other holders, in this
 * process or another. The lock belongs to a `flock` child that ends with its stdin, so a killed holder leaves no stale lock.
 */
export async function withFileLock<T>(file: string, task: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo locked; exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = once(holder, 'close');
  const locked = await Promise.race([once(holder.stdout, 'data').then(() => true), closed.then(() => false)]);
  if (!locked) throw new Error(`cannot lock ${file}`);
  try {
    return await task();
  } finally {
    holder.stdin.end();
    await closed;
  }
}
