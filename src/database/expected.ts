import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { Account } from './entities/account.entity.js';
import { SettingError, type Settings } from '../config/settings.js';

/** The file of an SQLite database; undefined for a server and for one in memory. */
export function databaseFile({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string | undefined {
  const [, path] = /^sqlite:(.*)$/s.exec(databaseUrl) ?? [];
  return path === undefined || path === ':memory:' ? undefined : resolve(path);
}

/**
 * Throws `SettingError` when the SQLite file is missing: a path that is mistyped or a volume that is not mounted must not
 * become an empty database.
 */
export function requireDatabaseFile(settings: Pick<Settings, 'databaseUrl'>): void {
  const file = databaseFile(settings);
  if (file === undefined || sizeOf(file) > 0) return;
  throw new SettingError(
    `DATABASE_URL: there is no database in ${file}; look at the path and whether its volume is mounted. ` +
      `"npm run migrate" makes a new one, and so does a start with MIGRATE_ON_START=true`,
  );
}

/** 0 for a file that does not exist. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Throws `SettingError` when nobody ever used the database, though DATABASE_MUST_HAVE_USERS says that somebody did. */
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
    'DATABASE_URL: the database is empty, and DATABASE_MUST_HAVE_USERS=true; look at its address and its volume, ' +
      'restore a backup, or set DATABASE_MUST_HAVE_USERS=false to start from scratch',
  );
}
