import { userInfo } from 'node:os';
import { loadSettings } from '../config/load-settings.js';
import type { Now } from '../config/now.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { CORRUPT_ADVICE, databaseFile, requireDatabaseFile } from '../database/why-not-open.js';
import { isUsableTimestamp } from '../protocol/timestamp.js';
import { examineSchema } from './doctor/schema.js';

const PROGRESS_MS = 2_000;

/** Exit codes; `createProgram` explains them. */
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

/** What a command works with besides its options and operands. */
export interface CommandContext {
  settings: Settings;
  now: Now;
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes a line to standard output; resolves with false once nobody reads it any more, as after `head`. */
  print: (line: string) => Promise<boolean>;
  /** Notes, before it happens, that the command reads or changes data of `whose`: it counts if it then fails, too. */
  audit: (what: string, whose: string, account?: Buffer) => void;
  /** Reports the progress of long work on stderr, every few seconds. */
  progress: (text: string) => void;
}

export type DatabaseContext = CommandContext & { database: Database };

/** Runs the work of a command, whose options are checked first: wrong usage is reported whatever the settings are. */
export class Shell {
  exitCode: number = EXIT.ok;

  /** @param given replaces this process's own context, or parts of it */
  constructor(private readonly given: Partial<DatabaseContext> = {}) {}

  /** Runs `work`, and keeps the exit code if it resolves with one. */
  async run(work: (context: CommandContext) => Promise<number | void>): Promise<void> {
    const code = await work({
      settings: this.given.settings ?? loadSettings(),
      now: Date.now,
      environment: process.env,
      print: printLine,
      audit: writeAudit,
      progress: createProgress(),
      ...this.given,
    });
    this.exitCode = code ?? EXIT.ok;
  }

  withDatabase(work: (context: DatabaseContext) => Promise<number | void>): Promise<void> {
    return this.run((context) => {
      const withIt = (database: Database) => work({ ...context, database });
      return this.given.database ? withIt(this.given.database) : withDatabase(context.settings, withIt);
    });
  }
}

/** Runs `work` with the open database and closes it. Rejects when the database does not exist, and never creates it. */
export async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  requireDatabaseFile(settings);
  const database = await openDatabase({ ...settings, databaseMustHaveUsers: false, migrateOnStart: false });
  try {
    if ((await database.probe()) === undefined)
      throw new CommandError(`DATABASE_URL: ${await whyNot(settings, database)}`);
    return await work(database);
  } catch (error) {
    // The error of a statement does not say what to do about a schema that does not match.
    const problem = isOfDriver(error) ? await blockingProblem(database) : undefined;
    throw problem === undefined ? error : new CommandError(`DATABASE_URL: ${problem}`);
  } finally {
    await database.onApplicationShutdown();
  }
}

async function whyNot(settings: Settings, database: Database): Promise<string> {
  const { damage } = database.health;
  if (damage) return `the file is corrupt (${damage}): ${CORRUPT_ADVICE}`;
  const unreachable =
    databaseFile(settings) === undefined
      ? 'the database does not respond; check that its server is running and try again'
      : 'another process holds the file; end it, or try again when it is done';
  return (await blockingProblem(database)) ?? unreachable;
}

const isOfDriver = (error: unknown): boolean =>
  ['SQLITE_ERROR', 'ER_BAD_FIELD_ERROR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** What has to be done about the schema before anything else. */
async function blockingProblem(database: Database): Promise<string | undefined> {
  const problems = await examineSchema(database).catch(() => []);
  const blocking = problems.find(({ isBlocking }) => isBlocking);
  return blocking && `${blocking.text}: ${blocking.advice}`;
}

// Each line that cannot be written reports it.
process.stdout.on('error', () => undefined);

/** Rejects with `CommandError` when the line cannot be written, unless the reader has closed the output. */
const printLine = (line: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error?: NodeJS.ErrnoException | null) => {
      if (!error) return resolve(true);
      const { code = error.message } = error;
      // The stream is destroyed by the first line that the reader does not take.
      if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') resolve(false);
      else reject(new CommandError(`cannot write to standard output (${code})`));
    });
  });

/** A reporter that writes to stderr at most every two seconds, the first time after two seconds. */
function createProgress(): (text: string) => void {
  let last = performance.now();
  return (text) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    console.error(text);
  };
}

/** Writes a line of the audit log in the form of the service's log, to stderr, as standard output is for the result. */
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
