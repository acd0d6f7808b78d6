import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileStorage } from '../../src/storage/file.js';
import { closeDevices, deviceArticles, openDevice, serverArticles, startWorld, type World } from '../support/world.js';

const LIVES = 8;

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'reading-list-sigkill-'));
beforeAll(async () => (world = await startWorld()));
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a device in a process of its own and kills it in the middle; resolves with what it acknowledged. */
async function liveAndDie(authorization: string, path: string, life: number): Promise<string[]> {
  const program = resolve(import.meta.dirname, '../support/mortal-device.mjs');
  const child = spawn(process.execPath, [program, world.url, authorization, path, String(life)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk) => {
    // At another moment of the work in each life.
    if (output === '') setTimeout(() => child.kill('SIGKILL'), 60 + life * 37);
    output += String(chunk);
  });
  const [, signal] = (await exited) as [number | null, string];
  expect(signal).toBe('SIGKILL');
  return output.split('\n').slice(0, -1);
}

it('a process that is killed at any moment loses nothing that it acknowledged, and doubles nothing', async () => {
  const authorization = await world.bearer();
  // A folder for each attempt: what an attempt that failed has open stays locked.
  const path = mkdtempSync(join(folder, 'list-'));
  const said: string[] = [];
  const lastOfLives: string[] = [];
  for (let life = 0; life < LIVES; life++) {
    const lines = await liveAndDie(authorization, path, life);
    said.push(...lines);
    lastOfLives.push(lines.at(-1)!.split(' ')[1]!);
  }
  expect(said.length).toBeGreaterThan(LIVES * 2);

  const { list, told } = await openDevice(world.url, authorization, { storage: fileStorage(path), device: 'mortal' });
  await list.sync();
  await list.sync();
  const server = await serverArticles(world.url, authorization);
  expect(await deviceArticles(list)).toEqual(server);
  expect(told).toEqual([]);
  for (const line of said) {
    const [what, name] = line.split(' ') as [string, string];
    const article = server.find(({ url }) => url === `https://example.com/${name}`);
    if (said.includes(`removed ${name}`)) expect(article, line).toBeUndefined();
    // The device was killed before it could say more of this article: its removal may have been durable all the same.
    else if (!article) expect(isRemovedByDevice(name) && lastOfLives.includes(name), line).toBe(true);
    else if (what === 'favorite') expect(article, line).toMatchObject({ favorite: true });
    else if (what === 'renamed') expect(article, line).toMatchObject({ title: `Renamed ${name}` });
    else expect(article.title, line).toMatch(new RegExp(`^(Title|Renamed) ${name}$`));
  }
  await closeDevices();
}, 120_000);

/** Whether the device removes the article of this name, `life/number`, some time. */
function isRemovedByDevice(name: string): boolean {
  return Number(name.split('/')[1]) % 5 === 4;
}
