// Runs all suites, also after one has failed, and says at the end how long each took and what failed. `npm test -- unit web`
// runs only those; `nodes`, the tests on newer versions of Node, runs only when it is named. One suite runs after the other,
// but `light` beside the last ones, so that both processors of a small machine are busy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
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
  fairness: projects('fairness'),
  system: projects('system'),
  light: projects('light', 'client', 'client-mariadb'),
  nodes: ['scripts/node-versions.mjs'],
};
/** They notice at once what else the machine does. */
const ALONE = ['unit', 'api', 'web', 'fairness'];
/** They have wide time limits or none, and get what the suites beside them leave of the processors. */
const BESIDE = ['light'];

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
async function run(name, { output = 'inherit', priority = 0 } = {}) {
  const start = performance.now();
  const report = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const words = name === 'nodes' ? SUITES[name] : [...SUITES[name], ...reporters];
  // What tests leave in the temporary folder goes with it.
  const env = { ...process.env, TMPDIR: folder };
  const suite = spawn(process.execPath, words, { env, stdio: ['ignore', output, output] });
  if (priority > 0) setPriority(suite.pid, priority);
  const [status] = await once(suite, 'exit');
  const seconds = Math.round((performance.now() - start) / 1000);
  if (status === 0) return { name, seconds, failures: [] };
  const failures = existsSync(report) ? failuresOf(JSON.parse(readFileSync(report, 'utf8'))) : [];
  if (failures.length === 0) failures.push('no test failed: see the output of the suite above');
  return { name, seconds, failures };
}

/** Runs suites one after the other. */
async function runInTurn(names) {
  const results = [];
  for (const name of names) {
    console.log(`\n-- ${name}`);
    results.push(await run(name));
  }
  return results;
}

/** Runs suites one after the other at a low priority, and prints what each said once it has ended. */
async function runBeside(names) {
  const results = [];
  for (const name of names) {
    const path = join(folder, `${name}.log`);
    results.push(await run(name, { output: openSync(path, 'w'), priority: 5 }));
    console.log(`\n-- ${name}\n${readFileSync(path, 'utf8')}`);
  }
  return results;
}

const folder = mkdtempSync(join(tmpdir(), 'reading-list-tests-'));
const isChosen = (name) => (chosen.length === 0 ? name !== 'nodes' : chosen.includes(name));
const names = Object.keys(SUITES).filter(isChosen);
const results = await runInTurn(names.filter((name) => ALONE.includes(name)));
const lanes = [
  runInTurn(names.filter((name) => !ALONE.includes(name) && !BESIDE.includes(name))),
  runBeside(names.filter((name) => BESIDE.includes(name))),
];
results.push(...(await Promise.all(lanes)).flat());
rmSync(folder, { recursive: true, maxRetries: 5 });

for (const { name, failures } of results)
  for (const failure of failures) console.log(`\nFAILED in ${name}: ${failure}`);
console.log('\nsuite      seconds');
for (const { name, seconds, failures } of results)
  console.log(`${name.padEnd(11)}${String(seconds).padStart(7)}${failures.length === 0 ? '' : '  FAILED'}`);
if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
