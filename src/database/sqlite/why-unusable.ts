import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

const { R_OK, W_OK, X_OK } = constants;
const LOOK = 'look at the path and whether its volume is mounted';

/**
 * What the file system has against a SQLite file, and what to do about it, to end a sentence that begins with the path;
 * undefined when it has nothing against it. Does not open the file: closing it again would end SQLite's locks.
 */
export function whyUnusable(file: string): string | undefined {
  const folder = dirname(file);
  if (kindOf(file) === 'folder') return 'is a folder; name a file in it';
  if (kindOf(folder) === 'file') return `cannot exist, as ${folder} is not a folder; look at the path`;
  const ofFolder = refusal(folder, R_OK | W_OK | X_OK);
  if (ofFolder === 'ENOENT' || ofFolder === 'ENOTDIR') return `cannot be created, as ${folder} does not exist; ${LOOK}`;
  const ofFile = refusal(file, R_OK | W_OK);
  const code = ofFolder ?? (ofFile === 'ENOENT' ? undefined : ofFile);
  if (code === 'EROFS') return 'is on a read-only volume; mount it for writing';
  return code && `cannot be read and written (${code}); give the user of the service the right to it and to its folder`;
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/** The error code with which this kind of access is refused. */
function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
