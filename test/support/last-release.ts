import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The commit of the last release, from which an upgrade starts. Version 2.0.0 has no tag yet: this is its state before its last
 * two migrations. A release replaces it with the release before (CONTRIBUTING.md, "A release").
 */
export const LAST_RELEASE = 'bea92df2f690df7ab0fd396129ab5c00d79f127b';

/** What a build needs; the packages are those of this one. */
const SOURCES = ['src', 'ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];

/** The folder with the built last release, below `dist`, so that it finds the packages of this one. */
export function buildLastRelease(): string {
  const folder = join('dist/last-release', LAST_RELEASE);
  if (existsSync(folder)) return folder;
  // Two specs may need it at the same time.
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  execFileSync('tar', ['-x', '-C', partial], { input: archive() });
  // Without checks: what generated documents then needs a package that is gone.
  execFileSync(process.execPath, [
    'node_modules/typescript-native/bin/tsc',
    '-p',
    join(partial, 'tsconfig.build.json'),
    '--noCheck',
  ]);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Its code without its migrations, as one text. */
export function codeOfLastRelease(folder: string): string {
  return readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('database/migrations/'))
    .map((path) => readFileSync(join(folder, 'src', path), 'utf8'))
    .join('\n');
}

/** Its sources as a tar file. A shallow clone, as many CI systems make them, fetches that one commit first. */
function archive(): Buffer {
  try {
    if (!hasCommit()) git('fetch', '--quiet', '--depth=1', 'origin', LAST_RELEASE);
    return git('archive', LAST_RELEASE, ...SOURCES);
  } catch (cause) {
    throw new Error(`this copy of the repository lacks commit ${LAST_RELEASE}: git fetch --unshallow`, { cause });
  }
}

function hasCommit(): boolean {
  try {
    git('cat-file', '-e', `${LAST_RELEASE}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

const git = (...words: string[]): Buffer =>
  execFileSync('git', words, { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });
