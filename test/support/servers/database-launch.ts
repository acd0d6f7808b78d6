import { join } from 'node:path';
import { asRoot, type DatabaseServer, databaseServerOf, runSql } from './database-server.js';
import { findFreePort } from './free-port.js';
import { startServer } from './process.js';
import { copyFolder, createScratchFolder } from './scratch-folder.js';

/** Options of a throw-away database server. */
export interface DatabaseServerOptions {
  /** Every commit reaches the disk before it is acknowledged; by default only the operating system. */
  durable?: boolean;
  /** Default: a free one. */
  port?: number;
  extraFlags?: string[];
  /** Keep the data in /dev/shm if there is room; default true, unless durable. */
  memory?: boolean;
}

/** A database program, and the data directory that each server starts with a copy of. */
export interface DatabaseProgram {
  kind: DatabaseServer['kind'];
  command: string;
  flags: string[];
  template: string;
}

/** Starts a database server on 127.0.0.1 with its own data directory. */
export async function launchDatabaseServer(
  { kind, command, flags, template }: DatabaseProgram,
  { durable = false, memory = !durable, port, extraFlags = [] }: DatabaseServerOptions,
): Promise<DatabaseServer> {
  const ownPort = port ?? (await findFreePort());
  const folder = createScratchFolder(memory);
  const dataDir = join(folder.path, 'data');
  const socket = join(folder.path, 'socket');
  await copyFolder(template, dataDir);
  const ownFlags = [
    `--datadir=${dataDir}`,
    temporaryFolderFlag(folder.path),
    `--socket=${socket}`,
    `--pid-file=${join(folder.path, 'pid')}`,
    `--port=${ownPort}`,
    '--bind-address=127.0.0.1',
    '--max-connections=500',
  ];
  const process = await startServer({
    command,
    args: [...flags, ...ownFlags, ...extraFlags],
    folder,
    ready: () => runSql(asRoot(socket), 'SELECT 1'),
  });
  return databaseServerOf(process, { kind, port: ownPort, socket, dataDir });
}

/**
 * Each server has its own folder for temporary tables: mariadbd deletes the ones in it when it starts, whoever uses them,
 * and a server whose temporary table is gone crashes.
 */
export const temporaryFolderFlag = (folder: string): string => `--tmpdir=${folder}`;

/** mariadbd and mysqld refuse to run as root unless told explicitly. */
export function asRootFlag(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}
