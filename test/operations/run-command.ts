import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** How a command ended. */
export interface CommandResult {
  status: number | null;
  out: string;
  err: string;
}

/** Runs a built command in a process of its own, in an empty folder, with the given settings and nothing else. */
export async function runCommand(
  words: string[],
  variables: Record<string, string>,
  input: string = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, ['--enable-source-maps', resolve('dist/src/commands/cli.js'), ...words], {
    cwd: mkdtempSync(join(tmpdir(), 'reading-list-command-')),
    env: { PATH: process.env.PATH, ...variables },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined).end(input);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: (await exited)[0], out, err };
}

/** Runs a command that must succeed; returns what it printed. */
export async function mustRun(words: string[], variables: Record<string, string>, input?: string): Promise<string> {
  const { status, out, err } = await runCommand(words, variables, input);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}:\n${out}${err}`);
  return out;
}
