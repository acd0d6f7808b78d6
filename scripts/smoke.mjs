// Copies what is committed to an empty folder, starts it with `npm start` and does what a newcomer would do first.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyPackages } from './copy-packages.mjs';

const START_TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'reading-list-smoke-'));
try {
  const archive = execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  copyPackages('.', folder);
  await tryOut();
} finally {
  // Much faster than the function of Node.
  execFileSync('rm', ['-rf', folder]);
}

async function tryOut() {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const service = spawn('npm', ['start'], { cwd: folder, env: { ...environment, PORT: '0' }, stdio: 'pipe' });
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exited = new Promise((resolve) => service.once('exit', resolve));
  try {
    const curl = await lineWith(() => output, /^try it: (curl .*)$/m);
    const created = JSON.parse(execFileSync('bash', ['-c', `${curl} -s`]).toString());
    check('the printed curl line creates an article', typeof created.id === 'string', created);
    const base = /listening on (\S+)/.exec(output)[1];
    for (const path of ['/__heartbeat__', '/docs/', '/v2/openapi.json']) {
      const { status } = await fetch(base + path);
      check(`${path} answers 200`, status === 200, status);
    }
  } finally {
    service.kill('SIGTERM');
  }
  const code = await Promise.race([exited, pause(15_000, 'still running', { ref: false })]);
  check('SIGTERM ends it with status 0', code === 0, code);
}

async function lineWith(text, pattern) {
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await pause(100)) {
    const found = pattern.exec(text());
    if (found) return found[1];
  }
  throw new Error(`the service did not start:\n${text()}`);
}

function check(fact, holds, seen) {
  if (!holds) throw new Error(`not so: ${fact}; seen: ${JSON.stringify(seen)}`);
  console.log(`ok: ${fact}`);
}
