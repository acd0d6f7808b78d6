import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from './cache-folder.js';
import { runCommand } from './command.js';
import { asRootFlag, type DatabaseServerOptions, launchDatabaseServer } from './database-launch.js';
import { type DatabaseServer } from './database-server.js';
import { loaderOf, unpackSid } from './sid.js';

const commonFlags = [
  '--innodb-redo-log-capacity=8M',
  '--innodb-buffer-pool-size=64M',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--secure-file-priv=NULL',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_bin',
];
const quickFlags = ['--innodb-flush-log-at-trx-commit=2', '--innodb-flush-method=nosync', '--innodb-doublewrite=OFF'];
const durableFlags = ['--innodb-flush-log-at-trx-commit=1'];

/**
 * Starts a real MySQL (the one in Debian sid, 9.7 or later) with its own data directory; the first call downloads it.
 */
export async function startMysql(options: DatabaseServerOptions = {}): Promise<DatabaseServer> {
  const root = join(await buildOnce('mysql', (folder) => unpackSid(folder, ['mysql-server-core'])), 'root');
  const template = join(await buildOnce('mysql-data', (folder) => initialise(root, folder)), 'data');
  const [command = '', ...programFlags] = mysqldCommand(root);
  const flags = [...programFlags, '--mysqlx=OFF', ...(options.durable ? durableFlags : quickFlags)];
  return launchDatabaseServer({ kind: 'mysql', command, flags, template }, options);
}

function mysqldCommand(root: string): string[] {
  return [
    ...loaderOf(root),
    join(root, 'usr/sbin/mysqld'),
    '--no-defaults',
    `--basedir=${join(root, 'usr')}`,
    `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
    `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    ...asRootFlag(),
    ...commonFlags,
  ];
}

async function initialise(root: string, folder: string): Promise<void> {
  const [command = '', ...args] = mysqldCommand(root);
  // By default only root@localhost exists, which does not match if 127.0.0.1 has no reverse name.
  const initFile = join(folder, 'init.sql');
  await writeFile(
    initFile,
    "CREATE USER root@'127.0.0.1' IDENTIFIED BY '';\nGRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n",
  );
  const dataDir = join(folder, 'data');
  await runCommand(command, [...args, `--datadir=${dataDir}`, `--init-file=${initFile}`, '--initialize-insecure']);
  // Every server has to generate its own UUID.
  await rm(join(dataDir, 'auto.cnf'), { force: true });
}
