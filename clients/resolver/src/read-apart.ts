import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Download, PageFacts } from '@reading-list/page-reader/node';
import { timeLimit } from './time-limit.js';

const SCRIPT = createRequire(import.meta.url).resolve('@reading-list/page-reader/child');
const TIMEOUT_MS = 15_000;
const MAX_MEMORY_MB = 256;

/**
 * Reads a page in a process of its own, which a page of a stranger can keep busy or fill only for itself. A thread whose
 * memory is full may take the process with it, whatever its limits are.
 */
export async function readApart(
  download: Download,
  { timeoutMs = TIMEOUT_MS, maxMemoryMb = MAX_MEMORY_MB } = {},
): Promise<PageFacts> {
  const child = fork(SCRIPT, {
    execArgv: [`--max-old-space-size=${maxMemoryMb}`],
    // It has no use for tokens or settings.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new AbortController();
  child.on('exit', (_, signal) =>
    ended.abort(new Error(signal ? 'it takes too much memory to read' : 'it cannot be read')),
  );
  const signal = timeLimit(timeoutMs, ended.signal);
  try {
    // Rejects with an error of the child, and of what is sent to one that has ended.
    const result = once(child, 'message', { signal });
    child.send(download);
    const [facts] = (await result) as [PageFacts];
    return facts;
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    child.on('error', () => undefined).kill('SIGKILL');
  }
}
