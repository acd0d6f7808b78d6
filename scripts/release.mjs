// The release workflow besides building the image: check TAG, pack FOLDER.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [task, argument] = process.argv.slice(2);
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));

if (task === 'check' && argument) check(argument);
else if (task === 'pack' && argument) pack(argument);
else fail('Usage: node scripts/release.mjs check TAG | pack FOLDER');

/** The tag must match the version in package.json, which needs a dated section in the changelog. */
function check(tag) {
  if (tag !== `v${version}`) fail(`${tag}: package.json says ${version}`);
  notes();
  console.log(`ok: ${tag} is ${name} ${version}, and the changelog has it`);
}

/** Packs the source archive, client library, browser extension, bill of materials and notes, with checksums. */
function pack(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'NOTES.md'), notes());
  const source = join(folder, `${name}-${version}.tar.gz`);
  execFileSync('git', ['archive', '--format=tar.gz', `--prefix=${name}-${version}/`, '-o', source, 'HEAD']);
  execFileSync('npm', ['pack', '--workspace', 'clients/typescript', '--pack-destination', folder], { stdio: 'ignore' });
  packExtension(folder);
  const sbom = execFileSync('npm', ['run', '--silent', 'sbom'], { maxBuffer: 2 ** 28 });
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom);
  const files = readdirSync(folder).filter((file) => file !== 'SHA256SUMS');
  const sums = files.map((file) => `${sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  for (const file of files) console.log(`ok: ${file}`);
}

/** Builds the extension elsewhere than in its own folder, where it may be loaded in somebody's browser. */
function packExtension(folder) {
  const built = mkdtempSync(join(tmpdir(), 'reading-list-extension-'));
  execFileSync(process.execPath, ['clients/extension/build.mjs', built], { stdio: 'inherit' });
  const zips = readdirSync(built).filter((file) => file.endsWith('.zip'));
  for (const zip of zips) copyFileSync(join(built, zip), join(folder, zip));
  rmSync(built, { recursive: true });
}

/** The changelog's section of this version. */
function notes() {
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm');
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const found = heading.exec(changelog);
  if (!found) fail(`CHANGELOG.md has no dated section of ${version}`);
  const rest = changelog.slice(found.index + found[0].length);
  return `${rest.split(/^## /m)[0].trim()}\n`;
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
