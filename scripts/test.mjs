// Runs all suites, also after one has failed, and says at the end how long each took and what failed. `npm test -- unit web`
// runs only those; `nodes`, the tests on newer versions of Node, runs only when it is named. One suite runs after the other, as
// each notices what else the machine does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const projects = (...names) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...names.flatMap((name) => ['--project', name]),
];

const SUITES = {
  unit: [...projects('unit'), '--coverage'],
  api: projects('api-*'),
  web: projects('web'),
  system: projects('system', 'faults'),
  light: projects('light', 'client', 'client-mariadb'),
  nodes: ['scripts/node-versions.mjs'],
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
async function run(name) {
  const start = performance.now();
  const report = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const words = name === 'nodes' ? SUITES[name] : [...SUITES[name], ...reporters];
  // What tests leave in the temporary folder goes with it.
  const env = { ...process.env, TMPDIR: folder };
  const [status] = await once(spawn(process.execPath, words, { env, stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  const seconds = Math.round((performance.now() - start) / 1000);
  if (status === 0) return { name, seconds, failures: [] };
  const failures = existsSync(report) ? failuresOf(JSON.parse(readFileSync(report, 'utf8'))) : [];
  if (failures.length === 0) failures.push('no test failed: see the output of the suite above');
  return { name, seconds, failures };
}

const folder = mkdtempSync(join(tmpdir(), 'reading-list-tests-'));
const isChosen = (name) => (chosen.length === 0 ? name !== 'nodes' : chosen.includes(name));
const results = [];
for (const name of Object.keys(SUITES).filter(isChosen)) {
  console.log(`\n-- ${name}`);
  results.push(await run(name));
}
rmSync(folder, { recursive: true, maxRetries: 5 });

for (const { name, failures } of results)
  for (const failure of failures) console.log(`\nFAILED in ${name}: ${failure}`);
console.log('\nsuite      seconds');
for (const { name, seconds, failures } of results)
  console.log(`${name.padEnd(11)}${String(seconds).padStart(7)}${failures.length === 0 ? '' : '  FAILED'}`);
if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
