// Runs the suites one after the other, also after one has failed, and says at the end how long each took and what failed.
// `npm test -- unit web` runs only those.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const SUITES = {
  unit: ['unit', '--coverage'],
  api: ['api-*'],
  web: ['web'],
  system: ['system'],
  light: ['light', '--project', 'client', '--project', 'client-mariadb'],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: not a suite; there are ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}

/** What failed in a report of Vitest: its files and tests, each with the first lines of its first error. */
function failuresOf(report) {
  const failures = [];
  for (const file of report.testResults) {
    const path = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && file.status === 'failed') failures.push([path, file.message]);
    for (const { fullName, failureMessages } of failed) failures.push([`${path} > ${fullName}`, failureMessages[0]]);
  }
  return failures.map(([name, message]) => `${name}\n${firstLines(message ?? '')}`);
}

const firstLines = (message) =>
  message
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, 12)
    .join('\n')
    .slice(0, 1500)
    .replaceAll(/^/gm, '    ');

/** Runs one suite, and says what failed. A suite can fail without a test that did: by its coverage, or an error between tests. */
function run(name, folder) {
  console.log(`\n-- ${name}`);
  const start = performance.now();
  const report = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync('npx', ['vitest', 'run', ...reporters, '--project', ...SUITES[name]], {
    stdio: 'inherit',
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  if (status === 0) return { name, seconds, failures: [] };
  let failures = [];
  try {
    failures = failuresOf(JSON.parse(readFileSync(report, 'utf8')));
  } catch (error) {
    failures = [`it left no report: ${error.message}`];
  }
  return {
    name,
    seconds,
    failures: failures.length > 0 ? failures : ['no test failed: see the output of the suite above'],
  };
}

const folder = mkdtempSync(join(tmpdir(), 'reading-list-tests-'));
const results = (chosen.length > 0 ? chosen : Object.keys(SUITES)).map((name) => run(name, folder));
rmSync(folder, { recursive: true });

for (const { name, failures } of results)
  for (const failure of failures) console.log(`\nFAILED in ${name}: ${failure}`);
console.log('\nsuite      seconds');
for (const { name, seconds, failures } of results)
  console.log(`${name.padEnd(11)}${String(seconds).padStart(7)}${failures.length === 0 ? '' : '  FAILED'}`);
if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
