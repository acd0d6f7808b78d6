import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Download, PageFacts } from '@reading-list/page-reader/node';

const SCRIPT = createRequire(import.meta.url).resolve('@reading-list/page-reader/worker');
const TIMEOUT_MS = 15_000;
const MAX_MEMORY_MB = 256;

/** Reads a page in a thread of its own, which a page of a stranger can keep busy or fill only for itself. */
export async function readInWorker(
  download: Download,
  { timeoutMs = TIMEOUT_MS, maxMemoryMb = MAX_MEMORY_MB } = {},
): Promise<PageFacts> {
  const worker = new Worker(SCRIPT, {
    workerData: download,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  // What happens after the time limit is of no concern.
  worker.on('error', () => undefined);
  try {
    const [facts] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [PageFacts];
    return facts;
  } finally {
    await worker.terminate();
  }
}
