import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { CommandError, EXIT, Shell } from '../../src/commands/shell.js';
import { createProgram } from '../../src/commands/command-line.js';
import { readSettings } from '../../src/config/load-settings.js';
import { SettingError } from '../../src/config/settings.js';

/** The names of all commands, as they are typed. */
export function commandNames(): string[] {
  const program = createProgram(new Shell());
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => help.subcommandTerm(command));
}

/** How a command ended. */
export interface CommandResult {
  status: number | null;
  out: string;
  /** Standard error, without the lines of the audit log. */
  err: string;
  audit: AuditEntry[];
}

/** A line of the audit log. */
export interface AuditEntry {
  level: string;
  time: string;
  who: string;
  what: string;
  whose: string;
  account?: string;
}

/** Takes the lines of the audit log out of standard error. */
function withoutAudit(stderr: string): Pick<CommandResult, 'err' | 'audit'> {
  const audit: AuditEntry[] = [];
  const err = stderr.replace(/^\{.*"context":"Audit".*\}\n/gm, (line) => {
    audit.push(JSON.parse(line) as AuditEntry);
    return '';
  });
  return { err, audit };
}

/** Runs a built command in a process of its own, in an empty folder, with the given settings and nothing else. */
export async function runCommand(
  words: string[],
  variables: Record<string, string>,
  input: string | Buffer = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, ['--enable-source-maps', resolve('dist/src/commands/cli.js'), ...words], {
    cwd: mkdtempSync(join(tmpdir(), 'reading-list-command-')),
    env: { PATH: process.env.PATH, ...variables },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined).end(input);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: (await exited)[0], out, ...withoutAudit(err) };
}

/**
 * The same in this process: a process of its own takes ten times as long. Standard input is a file in the place of the
 * operand `-`.
 */
export async function runHere(
  words: string[],
  variables: Record<string, string>,
  input: string | Buffer = '',
): Promise<CommandResult> {
  let out = '';
  let err = '';
  const audit: AuditEntry[] = [];
  const shell = new Shell({
    get settings() {
      return readSettings(variables);
    },
    environment: variables,
    print: (line) => {
      out += `${line}\n`;
      return Promise.resolve(true);
    },
    audit: (what, whose, account) =>
      void audit.push({ level: '', time: '', who: '', what, whose, account: account?.toString('hex') }),
    progress: () => undefined,
  });
  const program = createProgram(shell);
  for (const command of allOf(program))
    command.configureOutput({ writeOut: (text) => void (out += text), writeErr: (text) => void (err += text) });
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-command-'));
  writeFileSync(join(folder, 'input'), input);
  try {
    const operands = words.map((word) => (word === '-' ? join(folder, 'input') : word));
    await program.parseAsync(operands, { from: 'user' });
    return { status: shell.exitCode, out, err, audit };
  } catch (error) {
    if (error instanceof InvalidArgumentError) err = `error: ${error.message}\n`;
    if (error instanceof CommanderError)
      return { status: error.exitCode === 0 ? EXIT.ok : EXIT.usage, out, err, audit };
    if (error instanceof CommandError || error instanceof SettingError)
      return { status: EXIT.failed, out, err: `${error.message}\n`, audit };
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)];

/** Runs a command that must succeed; returns what it printed. */
export async function mustRun(words: string[], variables: Record<string, string>, input?: string): Promise<string> {
  return outputOf(words, await runCommand(words, variables, input));
}

/** The same in this process. */
export async function mustRunHere(words: string[], variables: Record<string, string>, input?: string): Promise<string> {
  return outputOf(words, await runHere(words, variables, input));
}

function outputOf(words: string[], { status, out, err }: CommandResult): string {
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}:\n${out}${err}`);
  return out;
}
