import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const release = (...words: string[]) =>
  spawnSync(process.execPath, ['scripts/release.mjs', ...words], { encoding: 'utf8' });
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

it('a tag of the version in package.json, with a dated section in the changelog, can be released', () => {
  const { status, stdout } = release('check', `v${version}`);
  expect([status, stdout]).toEqual([0, `ok: v${version} is reading-list ${version}, and the changelog has it\n`]);
});

it.each([
  [['check', 'v9.9.9'], `v9.9.9: package.json says ${version}`],
  [[], 'Usage'],
])('%j is refused', (words, said) => {
  const { status, stderr } = release(...words);
  expect(status).toBe(1);
  expect(stderr).toContain(said);
});

it('a release has the source, the client library, the extension of each browser, the bill of materials and the checksums of all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-release-'));
  const { status, stderr } = release('pack', folder);
  expect(stderr.replace(/^npm warn.*\n/gm, '')).toBe('');
  expect(status).toBe(0);
  const files = readdirSync(folder);
  for (const pattern of [
    /^reading-list-.*\.tar\.gz$/,
    /^reading-list-client-.*\.tgz$/,
    /^reading-list-chromium-.*\.zip$/,
    /^reading-list-firefox-.*\.zip$/,
    /^sbom\.cdx\.json$/,
    /^NOTES\.md$/,
  ])
    expect(files.some((file) => pattern.test(file))).toBe(true);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  rmSync(folder, { recursive: true });
});
