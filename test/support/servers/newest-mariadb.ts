import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from './cache-folder.js';
import { runCommand } from './command.js';
import { asRootFlag, type DatabaseServerOptions, launchDatabaseServer } from './database-launch.js';
import { type DatabaseServer } from './database-server.js';
import { mariaDbFlags } from './mariadb.js';
import { loaderOf, unpackSid } from './sid.js';

/** `mariadb-install-db` starts the first three itself. */
const PROGRAMS = ['usr/sbin/mariadbd', 'usr/bin/my_print_defaults', 'usr/bin/resolveip'];
const PACKAGES = ['mariadb-server-core', 'mariadb-server', 'mariadb-client-core'];

/** Starts the newest MariaDB in Debian (sid), 11.8 or later, which refuses to change what a transaction has not seen. */
export async function startNewestMariaDb(options: DatabaseServerOptions = {}): Promise<DatabaseServer> {
  const root = join(await buildOnce('mariadb-sid', unpack), 'root');
  const own = [
    '--no-defaults',
    `--basedir=${join(root, 'usr')}`,
    `--lc-messages-dir=${join(root, 'usr/share/mariadb')}`,
    `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    ...asRootFlag(),
  ];
  const template = join(await buildOnce('mariadb-sid-data', (folder) => initialise(root, folder)), 'data');
  const flags = [...own, ...mariaDbFlags(options.durable ?? false)];
  return launchDatabaseServer({ kind: 'mariadb', command: join(root, PROGRAMS[0]!), flags, template }, options);
}

async function unpack(folder: string): Promise<void> {
  await unpackSid(folder, PACKAGES);
  for (const name of PROGRAMS) await useOwnLoader(join(folder, 'root'), name);
}

/** Puts a script in the place of a program that starts it with its own libraries, wherever the folder is by then. */
async function useOwnLoader(root: string, name: string): Promise<void> {
  const program = join(root, name);
  await rename(program, `${program}.bin`);
  const up = name
    .split('/')
    .map(() => '..')
    .slice(1)
    .join('/');
  const words = loaderOf('$root').map((word) => `"${word}"`);
  const script = `#!/bin/sh\nroot=$(cd "$(dirname "$0")/${up}" && pwd)\nexec ${words.join(' ')} "$root/${name}.bin" "$@"\n`;
  await writeFile(program, script);
  await chmod(program, 0o755);
}

async function initialise(root: string, folder: string): Promise<void> {
  await runCommand(join(root, 'usr/bin/mariadb-install-db'), [
    '--no-defaults',
    `--basedir=${join(root, 'usr')}`,
    `--datadir=${join(folder, 'data')}`,
    ...asRootFlag(),
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...mariaDbFlags(false),
  ]);
}
