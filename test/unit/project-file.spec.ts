import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitOf } from '../../src/config/project-file.js';

describe('the commit of a folder', () => {
  let folder: string;
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reading-list-commit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Makes a repository with one commit on each of two branches, of which the other name ends like the first. */
  function commitTwice(): string {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    git('init', '--quiet', '--initial-branch', 'main');
    git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'First');
    git('branch', 'not/main');
    git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'Second');
    return git('rev-parse', 'HEAD');
  }

  it('is that of the branch', () => {
    expect(commitOf(folder)).toBe('unknown');
    const commit = commitTwice();
    expect(commitOf(folder)).toBe(commit);
  });

  it('is that of the branch after Git has packed its references', () => {
    const commit = commitTwice();
    git('pack-refs', '--all');
    expect(commitOf(folder)).toBe(commit);
  });

  it('is that of a detached head', () => {
    commitTwice();
    git('checkout', '--quiet', '--detach', 'not/main');
    expect(commitOf(folder)).toBe(git('rev-parse', 'not/main'));
  });

  it('is the one that an image names', () => {
    commitTwice();
    writeFileSync(join(folder, 'commit.txt'), '0123456789012345678901234567890123456789\n');
    expect(commitOf(folder)).toBe('0123456789012345678901234567890123456789');
  });

  it.each(['HEAD', 'packed-refs'])('is unknown where %s cannot be read', (name) => {
    commitTwice();
    git('pack-refs', '--all');
    rmSync(join(folder, '.git', name));
    mkdirSync(join(folder, '.git', name));
    expect(commitOf(folder)).toBe('unknown');
  });
});
