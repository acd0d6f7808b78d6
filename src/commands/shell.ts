import { userInfo } from 'node:os';
import { loadSettings } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { isBusy } from '../database/sqlite/dialect.js';
import { CORRUPT_ADVICE, databaseFile, requireDatabaseFile } from '../database/why-not-open.js';
import { isUsableTimestamp } from '../protocol/timestamp.js';
import { examineSchema } from './doctor/examine.js';

/** `createProgram` explains them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, attention: 3 } as const;

/** A stored time in ISO 8601; what cannot be a time, which `doctor` finds, as it is stored. */
export const shownTime = (stored: unknown): string =>
  isUsableTimestamp(stored) ? new Date(stored).toISOString() : `not a time (${JSON.stringify(stored)})`;

/** A number of things in words: "1 user", "2 users". */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

export const DAMAGED = 'some values are damaged: "doctor" says what to do';

/** The command cannot do what was requested; the message says what to do about it. */
export class CommandError extends Error {}

/** What a command of this process works with besides its options and operands. */
const createContext = (settings: Settings) => ({
  settings,
  now: Date.now,
  environment: process.env,
  print: printLine,
  audit: writeAudit,
  progress: createProgress(),
});

export type CommandContext = ReturnType<typeof createContext>;
export type DatabaseContext = CommandContext & { database: Database };

/** Runs the work of a command, whose options are checked first: wrong usage is reported whatever the settings are. */
export class Shell {
  exitCode: number = EXIT.ok;

  constructor(private readonly overrides: Partial<DatabaseContext> = {}) {}

  async run(work: (context: CommandContext) => Promise<number | void>): Promise<void> {
    const context = { ...createContext(this.overrides.settings ?? loadSettings()), ...this.overrides };
    this.exitCode = (await work(context)) ?? EXIT.ok;
  }

  withDatabase(work: (context: DatabaseContext) => Promise<number | void>): Promise<void> {
    return this.run((context) => {
      const withIt = (database: Database) => work({ ...context, database });
      return this.overrides.database ? withIt(this.overrides.database) : withDatabase(context.settings, withIt);
    });
  }
}

/** Runs `work` with the open database and closes it. Rejects when the database does not exist, and never creates it. */
export async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  requireDatabaseFile(settings);
  const database = await openDatabase({ ...settings, databaseMustHaveUsers: false, migrateOnStart: false });
  try {
    if ((await database.probe()) === undefined) throw await whyNot(settings, database);
    return await work(database);
  } catch (error) {
    const { damage } = database.health;
    if (damage) throw new CommandError(`DATABASE_URL: the file is corrupt (${damage}): ${CORRUPT_ADVICE}`);
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['SQLITE_ERROR', 'ER_BAD_FIELD_ERROR'].includes(code)) throw error;
    // The error of a statement does not say what to do about a schema that does not match.
    throw (await blockingProblem(database)) ?? error;
  } finally {
    await database.onApplicationShutdown();
  }
}

async function whyNot(settings: Settings, database: Database): Promise<CommandError> {
  const problem = await blockingProblem(database);
  if (problem) return problem;
  const isFile = databaseFile(settings) !== undefined;
  const silence = isFile ? { code: 'SQLITE_BUSY', message: 'locked' } : { syscall: 'connect', message: 'no response' };
  return new CommandError(`DATABASE_URL: ${reasonOf(database.failure ?? silence)}`);
}

/** Why a database cannot be opened or migrated, and what to do about it. */
export function reasonOf(error: Pick<NodeJS.ErrnoException, 'message' | 'code' | 'syscall'>): string {
  const { message, syscall } = error;
  if (isBusy(error)) return `another process holds the file (${message}); end it, or try again when it is done`;
  // A failed system call means that there is no server.
  if (!syscall) return message;
  return `the database server cannot be reached (${message}); check its host and port, and that it is running`;
}

async function blockingProblem(database: Database): Promise<CommandError | undefined> {
  const problems = await examineSchema(database).catch(() => []);
  const blocking = problems.find(({ isBlocking }) => isBlocking);
  return blocking && new CommandError(`DATABASE_URL: ${blocking.text}: ${blocking.advice}`);
}

// Each line that cannot be written reports it.
process.stdout.on('error', () => undefined);

/** Resolves with false once nobody reads standard output any more, as after `head`. */
const printLine = (line: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error?: NodeJS.ErrnoException | null) => {
      if (!error) return resolve(true);
      const { code = error.message } = error;
      // The stream is destroyed by the first line that the reader does not take.
      if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(code)) resolve(false);
      else reject(new CommandError(`cannot write to standard output (${code})`));
    });
  });

function createProgress(): (text: string) => void {
  let last = performance.now();
  return (text) => {
    if (performance.now() - last < 2_000) return;
    last = performance.now();
    console.error(text);
  };
}

/** Before the command reads or changes data: it counts if it then fails, too. The form is that of the service's log. */
function writeAudit(what: string, whose: string, account?: Buffer): void {
  const entry = { context: 'Audit', who: operator(), what, whose, account: account?.toString('hex') };
  console.error(JSON.stringify({ level: 'info', time: new Date().toISOString(), ...entry, msg: `${what}: ${whose}` }));
}

/** The operating system's user, who need not have a name in a container. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
