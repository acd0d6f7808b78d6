// Runs a part of the tests on newer versions of Node, in a copy of the working tree whose SQLite binding is compiled for them.
// Binary and headers come from npm. With `prepare` it only downloads and compiles, which may run beside other work.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { copyPackages } from './copy-packages.mjs';

/**
 * The long-term support release that the image has, and the release after it. Later ones abort an idle process that collects a
 * statement of better-sqlite3 12, if that was compiled with their headers (an assertion in RemoveEnvironmentCleanupHook).
 */
const VERSIONS = ['24.18.1', '26.3.0'];

/**
 * Where a new Node would show first: HTTP, decoding, compression, SQLite, the driver of MariaDB, processes and their end. All of it
 * runs on .nvmrc's. What the API specs look at differs by database and by Node, but not by both: they run on one.
 * The two lists run side by side, as `faults` mostly waits.
 */
const PROJECTS = [['unit', 'api-sqlite', 'client', 'client-mariadb', 'light'], ['faults']];
const FILES = [
  ...['connections', 'formats', 'request-headers', 'page-token', 'settings', 'sqlite.sessions', 'text'].map(
    inFolder('test/unit'),
  ),
  ...['articles-create', 'batch', 'compression', 'conditional', 'protocol-errors', 'waiting'].map(inFolder('test/api')),
  ...['shutdown', 'start'].map(inFolder('test/system')),
  'clients/typescript/test/service/sync.spec.ts',
];

const NODE_PACKAGE = `node-linux-${process.arch}`;
const { version: sqliteVersion } = JSON.parse(readFileSync('node_modules/better-sqlite3/package.json', 'utf8'));
const cache = resolve(process.env.TEST_CACHE_DIR || 'node_modules/.cache/reading-list');
const folderOf = (version) => join(cache, `node-${version}-better-sqlite3-${sqliteVersion}`);

for (const version of VERSIONS) prepare(version);
if (process.argv[2] !== 'prepare') await testAll();

/** Downloads a Node and compiles the SQLite binding for it, unless that has been done. */
function prepare(version) {
  const finished = folderOf(version);
  if (existsSync(finished)) return;
  const folder = `${finished}.partial`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = { [NODE_PACKAGE]: version, 'better-sqlite3': sqliteVersion };
  const allowScripts = { 'better-sqlite3': true };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder, process.env);
  // How fast SQLite is does not matter here, and without optimisation it compiles in a third of the time.
  const flags = { CFLAGS: '-O0', CXXFLAGS: '-O0' };
  run('npm', ['rebuild', 'better-sqlite3'], folder, { ...environmentOf(folder), ...flags });
  renameSync(folder, finished);
}

/** Runs the tests in a copy, as the binding of this version of Node stays where it is. */
async function testAll() {
  const copy = mkdtempSync(join(tmpdir(), 'reading-list-node-'));
  try {
    copyWorkingTree(copy);
    for (const version of VERSIONS) await test(version, copy);
  } finally {
    run('rm', ['-rf', copy], '.', process.env);
  }
}

async function test(version, copy) {
  const binding = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  // It is a hard link to the one of the working tree.
  rmSync(join(copy, binding));
  cpSync(join(folderOf(version), binding), join(copy, binding));
  console.log(`\n-- Node ${version}`);
  const outcomes = await Promise.allSettled(PROJECTS.map((names) => testProjects(version, copy, names)));
  for (const { reason } of outcomes) if (reason) throw reason;
}

async function testProjects(version, copy, names) {
  const projects = names.flatMap((name) => ['--project', name]);
  // They run beside other suites, and what is slow here is not slow on .nvmrc's alone.
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--retry', '2', ...projects, ...FILES];
  const env = environmentOf(folderOf(version));
  const [status] = await once(spawn('node', words, { cwd: copy, env, stdio: 'inherit' }), 'exit');
  if (status !== 0) throw new Error(`tests on Node ${version}: status ${status}`);
}

/** Copies all but the history and the caches. */
function copyWorkingTree(copy) {
  const archive = 'tar --create --exclude=./.git --exclude=node_modules . | tar --extract --directory "$0"';
  run('bash', ['-c', archive, copy], '.', process.env);
  copyPackages('.', copy, ['test/tools']);
}

/** The environment in which `node` is the one of the folder, and what is compiled is compiled for it. */
function environmentOf(folder) {
  const node = resolve(folder, 'node_modules', NODE_PACKAGE);
  const PATH = [join(node, 'bin'), process.env.PATH].join(delimiter);
  return { ...process.env, PATH, npm_config_nodedir: node, TEST_CACHE_DIR: cache };
}

function run(command, words, cwd, env) {
  const { status } = spawnSync(command, words, { cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${words[0]}: status ${status}`);
}

function inFolder(folder) {
  return (name) => `${folder}/${name}.spec.ts`;
}
