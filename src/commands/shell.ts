import { loadSettings } from '../config/load-settings.js';
import { writeAudit } from './audit.js';
import { type CommandContext, type DatabaseContext, EXIT } from './command.js';
import { withDatabase } from './open-database.js';
import { createProgress, printLine } from './output.js';

/** What commands get from the process that runs them. */
export interface Surroundings extends Omit<CommandContext, 'settings'> {
  loadSettings: () => CommandContext['settings'];
  withDatabase: typeof withDatabase;
}

/** The surroundings of a command that is this process. */
export const ofProcess = (): Surroundings => ({
  loadSettings,
  clock: Date.now,
  environment: process.env,
  print: printLine,
  audit: writeAudit,
  progress: createProgress(),
  withDatabase,
});

/**
 * Runs the work of a command and keeps its exit code. Commands check their options first, so that wrong usage is
 * reported whatever the settings and the database are.
 */
export class Shell {
  exitCode: number = EXIT.ok;

  constructor(private readonly surroundings: Surroundings) {}

  /** Runs `work`, which resolves with the exit code. */
  async run(work: (context: CommandContext) => Promise<number>): Promise<void> {
    const { loadSettings: load, ...rest } = this.surroundings;
    this.exitCode = await work({ ...rest, settings: load() });
  }

  /** The same with the open database. */
  withDatabase(work: (context: DatabaseContext) => Promise<number>): Promise<void> {
    return this.run((context) =>
      this.surroundings.withDatabase(context.settings, (database) => work({ ...context, database })),
    );
  }
}
