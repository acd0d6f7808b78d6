import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withFileLock } from './file-lock.js';

const repositoryRoot = resolve(import.meta.dirname, '../../..');

/** The folder for artefacts that are expensive to build and kept between runs; override with TEST_CACHE_DIR. */
export function cacheFolder(): string {
  return resolve(process.env.TEST_CACHE_DIR || join(repositoryRoot, 'node_modules/.cache/reading-list'));
}

/**
 * The path of a folder in the cache, built by the first caller and kept. `build` fills the given folder, which gets its
 * final name only when complete; other callers, in this process or another, wait for it.
 */
export async function buildOnce(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const finished = join(cacheFolder(), name);
  if (existsSync(finished)) return finished;
  await mkdir(cacheFolder(), { recursive: true });
  await withFileLock(`${finished}.lock`, async () => {
    if (existsSync(finished)) return;
    const partial = `${finished}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial);
    await build(partial);
    await rename(partial, finished);
  });
  return finished;
}
