import { loadSettings } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { CORRUPT_ADVICE, requireDatabaseFile } from '../database/why-not-open.js';
import { type CommandContext, CommandError, type DatabaseContext, EXIT } from './command.js';
import { examineSchema } from './doctor/schema.js';
import { createProgress, printLine, writeAudit } from './output.js';

/**
 * Runs the work of a command and keeps its exit code. Commands check their options first, so that wrong usage is
 * reported whatever the settings and the database are.
 */
export class Shell {
  exitCode: number = EXIT.ok;

  /** @param given what commands get instead of that of this process */
  constructor(private readonly given: Partial<DatabaseContext> = {}) {}

  /** Runs `work`, which may resolve with an exit code other than 0. */
  async run(work: (context: CommandContext) => Promise<number | void>): Promise<void> {
    const code = await work({
      settings: this.given.settings ?? loadSettings(),
      clock: Date.now,
      environment: process.env,
      print: printLine,
      audit: writeAudit,
      progress: createProgress(),
      ...this.given,
    });
    this.exitCode = code ?? EXIT.ok;
  }

  /** The same with the open database. */
  withDatabase(work: (context: DatabaseContext) => Promise<number | void>): Promise<void> {
    const { database } = this.given;
    return this.run((context) =>
      database
        ? work({ ...context, database })
        : withDatabase(context.settings, (opened) => work({ ...context, database: opened })),
    );
  }
}

/** Runs `work` with the open database and closes it. Rejects when the database does not exist, and never creates it. */
export async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  requireDatabaseFile(settings);
  const database = await openDatabase({ ...settings, databaseMustHaveUsers: false, migrateOnStart: false });
  try {
    if (!(await database.isReachable())) throw new CommandError(`DATABASE_URL: ${await whyNot(database)}`);
    return await work(database);
  } finally {
    await database.onApplicationShutdown();
  }
}

async function whyNot(database: Database): Promise<string> {
  if (database.damage) return `the file is corrupt (${database.damage}): ${CORRUPT_ADVICE}`;
  const problems = await examineSchema(database).catch(() => []);
  const [first] = problems.filter(({ isBlocking }) => isBlocking);
  return first
    ? `${first.text}: ${first.advice}`
    : 'the database does not respond; check that its server is running and try again';
}
