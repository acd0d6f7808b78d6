import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StaticFiles } from '../../src/http/response/static-files.js';

it('has the files of a folder and its subfolders, and nothing that links lead to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-static-'));
  const elsewhere = mkdtempSync(join(tmpdir(), 'reading-list-elsewhere-'));
  mkdirSync(join(folder, 'assets'));
  for (const file of [join(folder, 'index.html'), join(folder, 'assets/a.js'), join(elsewhere, 'secret.txt')])
    writeFileSync(file, 'content');
  symlinkSync(elsewhere, join(folder, 'linked'));
  symlinkSync(join(elsewhere, 'secret.txt'), join(folder, 'link.txt'));
  symlinkSync('nowhere', join(folder, 'dangling.js'));
  const files = new StaticFiles(folder);
  const names = ['index.html', 'assets/a.js', 'assets', 'linked/secret.txt', 'link.txt', 'dangling.js'];
  expect(names.filter((name) => files.has(name))).toEqual(['index.html', 'assets/a.js']);
});

it('is empty for a folder that does not exist', () => {
  expect(new StaticFiles(join(tmpdir(), 'reading-list-no-such-folder')).has('index.html')).toBe(false);
});
