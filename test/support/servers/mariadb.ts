import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from './cache-folder.js';
import { findProgram, runCommand } from './command.js';
import { asRootFlag, type DatabaseServerOptions, launchDatabaseServer } from './database-launch.js';
import { type DatabaseServer } from './database-server.js';
import { ensureDebianPackages } from './packages.js';

const commonFlags = [
  '--innodb-log-file-size=4M',
  '--innodb-buffer-pool-size=64M',
  '--aria-log-file-size=8M',
  '--skip-log-bin',
  '--skip-name-resolve',
  '--performance-schema=OFF',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_bin',
];
const quickFlags = ['--innodb-flush-log-at-trx-commit=2', '--innodb-flush-method=nosync', '--skip-innodb-doublewrite'];
const durableFlags = ['--innodb-flush-log-at-trx-commit=1', '--sync-binlog=1'];

/** Starts a MariaDB with its own data directory, installing the server if missing. */
export async function startMariaDb(options: DatabaseServerOptions = {}): Promise<DatabaseServer> {
  const template = await mariaDbTemplate();
  const command = findProgram('mariadbd') ?? 'mariadbd';
  const flags = ['--no-defaults', ...asRootFlag(), ...mariaDbFlags(options.durable ?? false)];
  return launchDatabaseServer({ kind: 'mariadb', command, flags, template }, options);
}

/** The flags of a small MariaDB, fast or durable. */
export function mariaDbFlags(durable: boolean): string[] {
  return [...commonFlags, ...(durable ? durableFlags : quickFlags)];
}

/** A fresh data directory in the cache: root without a password, no test database. Copy it, do not use it directly. */
export async function mariaDbTemplate(): Promise<string> {
  await ensureDebianPackages({ mariadbd: 'mariadb-server', 'mariadb-install-db': 'mariadb-server' });
  const version = /Ver (\d+\.\d+\.\d+)/.exec(await runCommand(findProgram('mariadbd') ?? '', ['--version']))?.[1];
  return buildOnce(`mariadb-${version}-data`, async (folder) => {
    await runCommand(findProgram('mariadb-install-db') ?? '', [
      '--no-defaults',
      `--datadir=${folder}`,
      ...asRootFlag(),
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...mariaDbFlags(false),
    ]);
    rmSync(join(folder, 'ib_buffer_pool'), { force: true });
  });
}
