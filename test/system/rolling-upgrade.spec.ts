import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../src/protocol/fields.js';
import { buildLastRelease } from '../support/last-release.js';
import { fullState, type Item } from '../support/devices.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startHaproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { startService, type Service } from '../support/service.js';
import { until } from '../support/waiting.js';
import { Writer } from '../support/writer.js';
import { runHere } from '../operations/run-command.js';

const USERS = 4;
const NEW = '.';
let old: string;
/** The fields that the last release does not know. */
let added: readonly string[];
beforeAll(async () => {
  old = buildLastRelease();
  const path = resolve(old, 'dist/src/protocol/fields.js');
  const { FIELD_NAMES: before } = (await import(/* @vite-ignore */ path)) as { FIELD_NAMES: readonly string[] };
  added = FIELD_NAMES.filter((name) => !before.includes(name));
});

/** Brings the schema up to date with a build's own command. */
const migrate = (build: string, url: string) =>
  execFileSync(process.execPath, [resolve(build, 'dist/src/migrate.js')], {
    cwd: mkdtempSync(join(tmpdir(), 'reading-list-migrate-')),
    env: { PATH: process.env.PATH, DATABASE_URL: url },
  });

/** Resolves when every user has gone on for some steps, which reach each instance. */
async function goOn(writers: Writer[]): Promise<void> {
  const ends = writers.map(({ steps }) => steps + 3);
  await until(() => writers.every(({ steps }, at) => steps >= ends[at]!));
}

const startUsers = (base: string) => Array.from({ length: USERS }, () => new Writer(base, randomUUID()));

/** What both versions know of each article. */
const known = (items: ReadonlyMap<string, Item>) =>
  new Map(
    [...items].map(([id, item]) => [
      id,
      Object.fromEntries(Object.entries(item).filter(([name]) => !added.includes(name))),
    ]),
  );

/** What a user's devices know at the end is what the service has. */
async function expectSame(base: string, writers: Writer[]): Promise<void> {
  for (const writer of writers) {
    expect(writer.failures).toEqual([]);
    const state = known(await fullState(base, writer.user));
    expect(known(writer.acknowledged)).toEqual(state);
    expect(known(writer.polled.items)).toEqual(state);
  }
}

it.concurrent.each([
  ['MariaDB', startMariaDb],
  ['MySQL', startMysql],
])(
  'on %s, behind HAProxy and under load, the last release is replaced by this one, and put back, without an error',
  async (_, start) => {
    const server = await start();
    const url = await server.createDatabase('reading_list');
    migrate(old, url);
    const ports = [await findFreePort(), await findFreePort(), await findFreePort(), await findFreePort()];
    const haproxy = await startHaproxy({ backends: ports });
    const instance = (build: string, at: number) =>
      startService({ DATABASE_URL: url, PORT: String(ports[at]), LOG_LEVEL: 'warn' }, { build });
    const running: Service[] = [await instance(old, 0), await instance(old, 1)];
    /** Starts an instance, and ends the one that has run longest once HAProxy has seen it. */
    const replaceBy = async (build: string, at: number) => {
      running.push(await instance(build, at));
      await until(async () => (await haproxy.statisticsOf('app', `s${at + 1}`)).status === 'UP');
      expect(await running.shift()!.stop()).toBe(0);
    };
    for (const server of ['s3', 's4'])
      await until(async () => (await haproxy.statisticsOf('app', server)).status === 'DOWN');
    const writers = startUsers(haproxy.url);
    const load = Promise.all(writers.map((writer) => writer.run()));

    await goOn(writers);
    migrate(NEW, url);
    for (const [build, at] of [
      [NEW, 2],
      [NEW, 3],
      [old, 0],
      [old, 1],
    ] as const) {
      await replaceBy(build, at);
      await goOn(writers);
    }

    for (const writer of writers) writer.stop();
    await load;
    await expectSame(haproxy.url, writers);
    expect(await runHere(['doctor'], { DATABASE_URL: url })).toMatchObject({ status: 0 });
    await Promise.all(running.map((service) => service.kill()));
    await haproxy.remove();
    await server.remove();
  },
  240_000,
);

it.concurrent(
  'on SQLite, the last release goes on where this one stopped, which began where the last release stopped',
  async () => {
    const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'list.sqlite')}`;
    const PORT = String(await findFreePort());
    const writers = startUsers(`http://127.0.0.1:${PORT}`);
    for (const build of [old, NEW, old]) {
      const service = await startService({ DATABASE_URL: url, PORT }, { build });
      for (let step = 0; step < 10; step++) await Promise.all(writers.map((writer) => writer.step()));
      await expectSame(service.url, writers);
      expect(await service.stop()).toBe(0);
    }
    expect(await runHere(['doctor'], { DATABASE_URL: url })).toMatchObject({ status: 0 });
  },
  240_000,
);
