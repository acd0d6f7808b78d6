import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of a file of the project, beside package.json, whether this file runs from `src` or from `dist`. */
export const projectFile = (name: string, folder = dirname(fileURLToPath(import.meta.url))): string =>
  existsSync(join(folder, 'package.json')) ? join(folder, name) : projectFile(name, dirname(folder));

/** The commit of a project's folder: from `commit.txt` of an image or the git checkout; `unknown` without either. */
export function commitOf(folder: string): string {
  const head = textOf(join(folder, 'commit.txt')) || textOf(join(folder, '.git/HEAD'));
  const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
  if (!ref) return head || 'unknown';
  const commit = textOf(join(folder, '.git', ref));
  if (commit) return commit;
  // Git moves references into one file now and then.
  const packed = textOf(join(folder, '.git/packed-refs')).split('\n');
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0] ?? 'unknown';
}

/** The text of a file; empty if it cannot be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
