import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.js';
import { runCommand } from './command.js';

const prefix = 'reading-list-test-';
const roomNeededBytes = 1024 ** 3;

/** A throw-away folder, removed at the latest when this process ends. */
export interface ScratchFolder {
  readonly path: string;
  remove(): void;
}

/**
 * Creates a throw-away folder, in memory (/dev/shm) if that has a free gigabyte and `memory` is not false, otherwise
 * below the system's temporary folder. First removes folders that killed processes left there.
 */
export function createScratchFolder(memory = true): ScratchFolder {
  const base = memory && hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();
  removeOrphans(base);
  const path = mkdtempSync(join(base, `${prefix}${process.pid}-`));
  // Retries: a server that was killed a moment ago may still be writing.
  const removeFolder = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  const forget = atExit(removeFolder);
  return {
    path,
    remove: () => {
      forget();
      removeFolder();
    },
  };
}

/** Copies a folder recursively to a path that must not exist; shares blocks if the file system can. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await runCommand('cp', ['-a', '--reflink=auto', from, to]);
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > roomNeededBytes;
  } catch {
    return false;
  }
}

function removeOrphans(base: string): void {
  for (const name of readdirSync(base)) {
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : NaN;
    if (owner > 0 && !isAlive(owner)) rmSync(join(base, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
