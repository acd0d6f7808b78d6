import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { startDevelopmentProvider } from '../dev/provider.js';
import { readSettings } from '../src/config/load-settings.js';
import { dataSourceForSchema } from '../src/database/data-source.js';
import { startMariaDb } from '../test/support/servers/mariadb.js';
import { accountOf, type User } from './data.js';
import { openSeeder, type Seeder } from './seed.js';

export type DatabaseKind = 'mariadb' | 'sqlite';

/** The environment of the servers under test: a throw-away database, an identity provider, users. */
export interface Bed {
  kind: DatabaseKind;
  databaseUrl: string;
  issuer: string;
  seeder: Seeder;
  /** Creates another database on the same server, or another file, with the schema. */
  another(name: string): Promise<{ databaseUrl: string; seeder: Seeder }>;
  /** Users with tokens from the provider; equal names are the same user. */
  users(prefix: string, count: number): Promise<User[]>;
  close(): Promise<void>;
}

/** Enough memory for all rows, to measure the service rather than a small cache. */
const MARIADB_FLAGS = [
  '--innodb-buffer-pool-size=1G',
  '--innodb-log-file-size=256M',
  '--max-recursive-iterations=1000000',
];

/** Starts a database with durable commits and the service's schema. */
export async function makeBed(kind: DatabaseKind): Promise<Bed> {
  const provider = await startDevelopmentProvider({ port: 0, tokenFormat: 'jwt', tokenSeconds: 36_000 });
  const { create, remove } = kind === 'mariadb' ? await mariaDb() : sqlite();
  const seeders: Seeder[] = [];
  const another = async (name: string) => {
    const databaseUrl = await create(name);
    await migrate(databaseUrl);
    const seeder = await openSeeder(databaseUrl);
    seeders.push(seeder);
    return { databaseUrl, seeder };
  };
  const { issuer } = provider;
  return {
    kind,
    issuer,
    ...(await another('reading_list')),
    another,
    users: (prefix, count) =>
      Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const subject = `${prefix}-${at}`;
          return { account: accountOf(issuer, subject), authorization: `Bearer ${await provider.issue(subject)}` };
        }),
      ),
    close: async () => {
      for (const seeder of seeders) await seeder.close();
      await provider.close();
      await remove();
    },
  };
}

async function mariaDb() {
  const server = await startMariaDb({ durable: true, extraFlags: MARIADB_FLAGS });
  return { create: (name: string) => server.createDatabase(name), remove: () => server.remove() };
}

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-bench-'));
  const remove = () => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  return { create: (name: string) => Promise.resolve(`sqlite:${join(folder, `${name}.sqlite`)}`), remove };
}

async function migrate(databaseUrl: string): Promise<void> {
  const settings = readSettings({ NODE_ENV: 'test', DATABASE_URL: databaseUrl });
  const dataSource = await (await dataSourceForSchema(settings)).initialize();
  await dataSource.runMigrations({ transaction: 'none' });
  await dataSource.destroy();
}
