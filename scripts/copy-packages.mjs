import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const CACHES = ['.cache', '.vite', '.vite-temp'];
/** npm writes to it in place. */
const INSTALLED = '.package-lock.json';

/**
 * Copies the installed packages of a project and its workspaces, and of other folders of it, without caches. On one file system
 * the copies are hard links, which take a tenth of the time: whoever changes one of them has to replace it.
 */
export function copyPackages(from, to, others = []) {
  const { workspaces } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  for (const folder of ['.', ...workspaces, ...others]) {
    const source = join(from, folder, 'node_modules');
    const packages = existsSync(source) ? readdirSync(source).filter((name) => !CACHES.includes(name)) : [];
    // A workspace has packages of its own where it needs another version.
    if (packages.length === 0) continue;
    const copy = join(to, folder, 'node_modules');
    mkdirSync(copy);
    const how = statSync(source).dev === statSync(copy).dev ? '-al' : '-a';
    // `cp` takes a fifth of the time of `cpSync`.
    execFileSync('cp', [how, ...packages.filter((name) => name !== INSTALLED), copy], { cwd: source });
    if (packages.includes(INSTALLED)) execFileSync('cp', ['-a', INSTALLED, copy], { cwd: source });
  }
}
