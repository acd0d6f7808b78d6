// Replays the Dockerfile, or the one that is named, in an empty folder: copies what its ignore file allows, runs the build
// steps, keeps what the last stage keeps, starts it with its environment and command, and tries it. Two differences: Debian
// packages are those of this machine, and dependencies are copied unless --install is given.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyPackages } from './copy-packages.mjs';

const START_TIMEOUT_MS = 60_000;
const root = resolve(import.meta.dirname, '..');
const [file = 'Dockerfile'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const ignoreFile = file === 'Dockerfile' ? '.dockerignore' : `${file}.dockerignore`;
const folder = mkdtempSync(join(tmpdir(), 'reading-list-image-'));
try {
  const stages = readStages(readFileSync(join(root, file), 'utf8'));
  for (const stage of stages) replay(stage, stages);
  const stageOf = (wanted) => stages.find(({ name }) => name === wanted);
  if (file === 'Dockerfile') {
    tryResolver(stageOf('resolver'));
    await tryOut(stages.at(-1), stageOf('e2e'));
  } else await tryProvider(stages.at(-1));
} finally {
  // As `cp`, much faster than the function of Node.
  spawnSync('rm', ['-rf', folder]);
}

/** The stages with their instructions, with continuation lines joined. */
function readStages(text) {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  const instructions = lines
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line).slice(1));
  const stages = [];
  for (const [name, value] of instructions) {
    if (name === 'FROM')
      stages.push({ name: / AS (\w+)/.exec(value)?.[1] ?? 'last', instructions: [], environment: {} });
    else stages.at(-1).instructions.push([name, value]);
  }
  for (const stage of stages) stage.folder = join(folder, stage.name);
  return stages;
}

function replay(stage, stages) {
  mkdirSync(stage.folder);
  for (const [name, value] of stage.instructions) {
    if (name === 'COPY') copy(value, stage, stages);
    else if (name === 'RUN') run(value, stage);
    else if (name === 'CMD' || name === 'ENTRYPOINT') stage.command = JSON.parse(value);
    else if (name === 'HEALTHCHECK') stage.check = JSON.parse(/CMD (\[.*\])/.exec(value)[1]);
    else if (name === 'ENV') for (const [, key, set] of value.matchAll(/(\w+)=(\S+)/g)) stage.environment[key] = set;
  }
}

function copy(value, stage, stages) {
  const from = /^--from=(\w+) /.exec(value)?.[1];
  const paths = value.replace(/^--\S+ /, '').split(/ +/);
  const target = paths.pop();
  const source = from ? stages.find(({ name }) => name === from).folder : root;
  for (const path of paths) {
    if (!from) requireInContext(path);
    const relative = path.replace(/^\/app\//, '');
    const isFolderOfMany = target.endsWith('/') && !target.endsWith(`${relative}/`);
    const to = join(stage.folder, isFolderOfMany ? join(target, relative.split('/').at(-1)) : target);
    mkdirSync(dirname(to), { recursive: true });
    copyInto(join(source, relative), to, from ? [] : ['dist', 'node_modules']);
  }
}

/** Copies a file, or what is in a folder but for what the ignore file excludes, as an image does, also over links to the same files. */
function copyInto(from, to, excluded) {
  const isFolder = statSync(from).isDirectory();
  if (isFolder) mkdirSync(to, { recursive: true });
  const { status, stderr } = isFolder
    ? spawnSync(
        'sh',
        ['-c', `tar -c ${excluded.map((name) => `--exclude=${name}`).join(' ')} . | tar -x -C "$0"`, to],
        { cwd: from },
      )
    : spawnSync('cp', ['-a', '--remove-destination', from, to]);
  if (status !== 0) throw new Error(`${from} could not be copied: ${stderr}`);
}

function requireInContext(path) {
  const allowed = readFileSync(join(root, ignoreFile), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^!/, ''));
  if (!allowed.some((entry) => entry !== '*' && (path === entry || path.startsWith(`${entry}/`))))
    throw new Error(`${ignoreFile} keeps ${path} out of the build`);
}

function run(value, stage) {
  if (value.startsWith('apt-get')) return;
  const command = value.replace(/ && chown \S+ \S+/, '');
  if (command === 'npm ci' && !process.argv.includes('--install')) {
    copyPackages(root, stage.folder);
    return;
  }
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, COMMIT: 'replayed' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: stage.folder, env: environment });
  if (status !== 0) throw new Error(`RUN ${command}\n${stdout}${stderr}`);
  console.log(`ok: RUN ${command}`);
}

async function tryOut({ folder: cwd, environment, command, check }, e2e) {
  for (const name of ['vitest', 'typescript'])
    if (existsSync(join(cwd, 'node_modules', name))) throw new Error(`the image has ${name}, which only builds need`);
  console.log(`ok: its dependencies take ${sizeOf(join(cwd, 'node_modules'))} MB`);
  const secrets = Object.fromEntries(['USER_ID_SECRET', 'SESSION_SECRET'].map((name) => [name, 'x'.repeat(40)]));
  const env = {
    PATH: process.env.PATH,
    ...environment,
    ...secrets,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    PUBLIC_URL: 'https://list.example.com',
    BASIC_AUTH_ENABLED: 'true',
    OAUTH_URI: 'https://id.example.com',
    OAUTH_CLIENT_ID: 'reading-list',
    OAUTH_CLIENT_SECRET: 'x',
  };
  const { status, stderr } = spawnSync('node', ['dist/src/migrate.js'], { cwd, env });
  if (status !== 0) throw new Error(`migrate ended with ${status}: ${stderr}`);
  const service = spawn(command[0], command.slice(1), { cwd, env, stdio: 'inherit' });
  const exited = new Promise((done) => service.once('exit', done));
  try {
    await untilHealthy(() => spawnSync(check[0], check.slice(1), { cwd, env }).status, service);
    const document = await (await fetch(`http://127.0.0.1:${env.PORT}/v2/openapi.json`)).json();
    if (document.servers[0].url !== env.PUBLIC_URL) throw new Error('it does not serve its OpenAPI document');
    const { commit } = await (await fetch(`http://127.0.0.1:${env.PORT}/__version__`)).json();
    if (commit !== 'replayed') throw new Error(`the version names the commit ${commit}`);
    const help = spawnSync('node', ['dist/src/commands/cli.js', 'doctor'], { cwd, env });
    if (help.status !== 0) throw new Error(`doctor ended with ${help.status}: ${help.stderr}`);
    console.log('ok: it starts, is healthy, knows its commit, and has its commands');
    tryEndToEnd(e2e, env.PORT);
  } finally {
    service.kill('SIGTERM');
  }
  const code = await Promise.race([exited, pause(12_000, 'still running', { ref: false })]);
  if (code !== 0) throw new Error(`after SIGTERM: ${code}`);
  console.log('ok: SIGTERM ends it with status 0');
}

async function tryProvider({ folder: cwd, command }) {
  const secret = join(cwd, 'secret');
  writeFileSync(secret, 'x'.repeat(40));
  const port = await freePort();
  const env = { PATH: process.env.PATH, CLIENT_SECRET_FILE: secret, PORT: String(port) };
  const provider = spawn(command[0], command.slice(1), { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const issuesToken = async () => (await fetch(`http://127.0.0.1:${port}/token-for/alice`).catch(() => ({}))).ok;
  try {
    await untilHealthy(async () => ((await issuesToken()) ? 0 : 1), provider);
    console.log('ok: it starts and issues tokens');
  } finally {
    provider.kill('SIGTERM');
  }
}

function tryResolver({ folder: cwd, command }) {
  const words = [...command.slice(1), '--help'];
  const { status, stderr } = spawnSync(command[0], words, { cwd, env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(`the resolver ended with ${status}: ${stderr}`);
  console.log('ok: the resolver has all that it imports');
}

function tryEndToEnd({ folder: cwd, command }, port) {
  const words = [...command.slice(1), '--url', `http://127.0.0.1:${port}`, '--basic', '--only', 'articles-read'];
  const { status, stdout, stderr } = spawnSync(command[0], words, { cwd, env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(`the end-to-end suites ended with ${status}: ${stdout}${stderr}`);
  console.log('ok: the end-to-end suites run against it');
}

function sizeOf(path) {
  return Number(spawnSync('du', ['-sm', path]).stdout.toString().split('\t')[0]);
}

async function untilHealthy(check, service) {
  for (const end = Date.now() + START_TIMEOUT_MS; (await check()) !== 0; await pause(200))
    if (Date.now() > end || service.exitCode !== null) throw new Error('it does not become healthy');
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
