import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { findProgram, runCommand } from '../support/servers/command.js';

/** Backs a database up as docs/operations.md says; the result restores it, while no service runs. */
export function backUp(url: string): Promise<() => Promise<void>> {
  const copy = join(mkdtempSync(join(tmpdir(), 'reading-list-backup-')), 'copy');
  return url.startsWith('sqlite:') ? backUpFile(url.slice('sqlite:'.length), copy) : dump(new URL(url), copy);
}

async function backUpFile(file: string, copy: string): Promise<() => Promise<void>> {
  const source = new Sqlite(file);
  await source.backup(copy);
  source.close();
  return () => {
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    return copyFile(copy, file);
  };
}

async function dump({ hostname, port, username, pathname }: URL, copy: string): Promise<() => Promise<void>> {
  const words = ['--no-defaults', `--host=${hostname}`, `--port=${port}`, `--user=${username}`];
  const database = pathname.slice(1);
  await runCommand(findProgram('mysqldump') ?? '', [
    ...words,
    '--single-transaction',
    `--result-file=${copy}`,
    database,
  ]);
  return async () => {
    await runCommand(findProgram('mysql') ?? '', [...words, `--execute=source ${copy}`, database]);
  };
}
