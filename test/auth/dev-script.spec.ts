import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { compileForDevelopment } from '../support/compile-for-development.js';
import { findFreePort } from '../support/servers/free-port.js';

let development: ChildProcess;
let output = '';

beforeAll(async () => {
  await compileForDevelopment();
  development = spawn(process.execPath, ['dist/development/dev/dev.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      OAUTH_URI: `http://127.0.0.1:${await findFreePort()}`,
      DATABASE_URL: 'sqlite::memory:',
    },
  });
  for (const stream of [development.stdout!, development.stderr!])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitFor(() => expect(output).toContain('--json'), 30_000);
});
afterAll(async () => {
  const exit = once(development, 'exit');
  development.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

const printed = (pattern: RegExp): string => pattern.exec(output)![1]!;

it('`npm run dev` tells a newcomer how to sign in, get a token and send a batch, and that works', async () => {
  const page = await fetch(printed(/sign in with a browser: (\S+)/));
  expect(await page.text()).toContain('<title>Reading list</title>');

  const token = (await (await fetch(printed(/curl -s (\S+)\)/))).text()).trim();
  const response = await fetch(printed(/: curl (\S+)/), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: printed(/--json '(.*)'/),
  });
  expect(await response.json()).toMatchObject({ responses: [{ status: 200, body: { items: [] } }] });
});
