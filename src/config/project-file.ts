import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The path of a file of the project, beside package.json, whether this file runs from `src` or from `dist`. */
export const projectFile = (name: string, folder = import.meta.dirname): string =>
  existsSync(join(folder, 'package.json')) ? join(folder, name) : projectFile(name, dirname(folder));

/** The commit of a project's folder: from `commit.txt` of an image or the git checkout; `unknown` without either. */
export function commitOf(folder: string): string {
  const head = textOrEmpty(join(folder, 'commit.txt')) || textOrEmpty(join(folder, '.git/HEAD'));
  const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
  if (!ref) return head || 'unknown';
  const commit = textOrEmpty(join(folder, '.git', ref));
  if (commit) return commit;
  // Git moves references into one file now and then.
  const packed = textOrEmpty(join(folder, '.git/packed-refs')).split('\n');
  const [packedCommit = 'unknown'] = packed.find((line) => line.endsWith(` ${ref}`))?.split(' ') ?? [];
  return packedCommit;
}

function textOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
