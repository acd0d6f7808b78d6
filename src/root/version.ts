import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../config/project-folder.js';

/** The running version: from package.json and, for the commit, from `commit.txt` of an image or the git checkout. */
export interface Version {
  name: string;
  version: string;
  commit: string;
}

export function readVersion(): Version {
  const folder = projectFolder();
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Version;
  return { name, version, commit: readCommit(folder) };
}

function readCommit(folder: string): string {
  try {
    if (existsSync(join(folder, 'commit.txt'))) return readFileSync(join(folder, 'commit.txt'), 'utf8').trim();
    const head = readFileSync(join(folder, '.git/HEAD'), 'utf8').trim();
    if (!head.startsWith('ref: ')) return head;
    return readFileSync(join(folder, '.git', head.slice('ref: '.length)), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
