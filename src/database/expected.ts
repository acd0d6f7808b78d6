import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { Account } from './entities/account.entity.js';
import { SettingError, type Settings } from '../config/settings.js';
import { whyUnusable } from './sqlite/why-unusable.js';

/** The file of an SQLite database; undefined for a server and for an in-memory database. */
export function databaseFile({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string | undefined {
  const [, path] = /^sqlite:(.*)$/s.exec(databaseUrl) ?? [];
  return path === undefined || path === ':memory:' ? undefined : resolve(path);
}

/**
 * Throws `SettingError` when the SQLite file is missing: a mistyped path or an unmounted volume must not lead to an
 * empty database.
 */
export function requireDatabaseFile(settings: Pick<Settings, 'databaseUrl'>): void {
  const file = databaseFile(settings);
  if (file === undefined) return;
  const size = sizeOf(file);
  if (size === undefined) throw new SettingError(`DATABASE_URL: ${file} ${whyUnusable(file) ?? 'cannot be read'}`);
  if (size > 0) return;
  throw new SettingError(
    `DATABASE_URL: there is no database in ${file}; look at the path and whether its volume is mounted. ` +
      `"npm run migrate" makes a new one, and so does a start with MIGRATE_ON_START=true`,
  );
}

/** 0 for a file that does not exist; undefined for a folder, and for what cannot be reached. */
function sizeOf(file: string): number | undefined {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat?.isDirectory() ? undefined : (stat?.size ?? 0);
  } catch {
    return undefined;
  }
}

/** Throws `SettingError` when the database has no users although DATABASE_MUST_HAVE_USERS says it has. */
export async function requireUsers(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    const accounts = dataSource.getRepository(Account);
    const hasUsers = (await runner.hasTable(accounts.metadata.tableName)) && (await accounts.exists());
    if (hasUsers) return;
  } finally {
    await runner.release();
  }
  throw new SettingError(
    'DATABASE_URL: the database is empty, and DATABASE_MUST_HAVE_USERS=true; check its URL and its volume, ' +
      'restore a backup, or set DATABASE_MUST_HAVE_USERS=false to start from scratch',
  );
}
