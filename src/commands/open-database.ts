import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { DatabaseLifecycle } from '../database/database.lifecycle.js';
import { CORRUPT_ADVICE } from '../database/why-not-open.js';
import { requireDatabaseFile } from '../database/expected.js';
import { CommandError } from './command.js';
import { examineSchema } from './doctor/schema.js';

/** Runs `work` with the open database and closes it. Rejects when the database does not exist, and never creates it. */
export async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  requireDatabaseFile(settings);
  const lifecycle = await DatabaseLifecycle.of({ ...settings, databaseMustHaveUsers: false, migrateOnStart: false });
  try {
    await lifecycle.onModuleInit();
    if (!(await lifecycle.isReachable())) throw new CommandError(`DATABASE_URL: ${await whyNot(lifecycle)}`);
    return await work(lifecycle.database);
  } finally {
    await lifecycle.onApplicationShutdown();
  }
}

async function whyNot({ damage, database }: DatabaseLifecycle): Promise<string> {
  if (damage) return `the file is corrupt (${damage}): ${CORRUPT_ADVICE}`;
  const problems = await examineSchema(database).catch(() => []);
  const [first] = problems.filter(({ isBlocking }) => isBlocking);
  return first
    ? `${first.text}: ${first.advice}`
    : 'the database does not respond; check that its server is running and try again';
}
