import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command.js';

/**
 * Reads one line from standard input; on a terminal with a prompt on stderr and without echo. Throws `UsageError` when
 * there is none.
 */
export async function readPassword(what: string): Promise<string> {
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write(`${what} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTTY });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (isTTY) process.stderr.write('\n');
  }
  throw new UsageError(`${what}: give it in BASIC_PASSWORD, or as a line of standard input.`);
}
