import { once } from 'node:events';
import { userInfo } from 'node:os';
import { CommandError } from './command.js';

const PROGRESS_MS = 2_000;

/** The reader of the output has closed it, as `head` does: there is nothing left to do, and it is not an error. */
export class ReaderGone extends Error {}

let failure: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error) => {
  failure ??= error;
});

/**
 * Writes a line to standard output; resolves when the reader keeps up. Rejects with `ReaderGone` when the reader is
 * gone, with `CommandError` when the line cannot be written.
 */
export async function printLine(line: string): Promise<void> {
  if (!failure && !process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain').catch(() => undefined);
  checkOutput();
}

/** Resolves when all lines are written; rejects like `printLine`. */
export async function flushOutput(): Promise<void> {
  await new Promise<void>((resolve) => (failure ? resolve() : process.stdout.write('', () => resolve())));
  checkOutput();
}

function checkOutput(): void {
  if (failure?.code === 'EPIPE') throw new ReaderGone();
  if (failure) throw new CommandError(`standard output: cannot be written (${failure.code ?? failure.message})`);
}

/** A reporter that writes to stderr at most every two seconds, the first time after two seconds. */
export function createProgress(): (text: string) => void {
  let last = performance.now();
  return (text) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    console.error(text);
  };
}

/**
 * Writes a line of the audit log: who runs the command, what it does, and whose data it is about. It has the form of the
 * service's log and goes to stderr, as standard output is for the result.
 *
 * @param whose the user as the operator named it
 */
export function writeAudit(what: string, whose: string, account?: Buffer): void {
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
