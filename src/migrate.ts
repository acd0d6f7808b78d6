import { DataSource } from 'typeorm';
import { loadSettings } from './config/load-settings.js';
import { SettingError } from './config/settings.js';
import { dataSourceOptions } from './database/data-source.js';
import { pendingMigrations, runMigrations } from './database/migrate.js';

const USAGE = `Usage: npm run migrate [-- --check]

Brings the schema of DATABASE_URL up to date. Several may run at once.

  --check  only say what is pending
  --help   show this text

Exit codes: 0 up to date, 1 failed, 2 wrong usage, 3 migrations are pending (--check)`;

process.exitCode = await main(process.argv.slice(2));

async function main(options: string[]): Promise<number> {
  const isKnown = options.every((option) => option === '--check' || option === '--help');
  if (!isKnown || options.includes('--help')) {
    console.log(USAGE);
    return isKnown ? 0 : 2;
  }
  try {
    return await migrate(options.includes('--check'));
  } catch (error) {
    console.error(error instanceof SettingError ? error.message : `DATABASE_URL: ${(error as Error).message}`);
    return 1;
  }
}

async function migrate(checkOnly: boolean): Promise<number> {
  const dataSource = await new DataSource(dataSourceOptions(loadSettings())).initialize();
  try {
    const names = await (checkOnly ? pendingMigrations(dataSource) : runMigrations(dataSource));
    for (const name of names) console.log(`${checkOnly ? 'pending' : 'done'}: ${name}`);
    if (names.length === 0) console.log('up to date');
    return checkOnly && names.length > 0 ? 3 : 0;
  } finally {
    await dataSource.destroy();
  }
}
