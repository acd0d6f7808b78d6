import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/commands.js';
import { findFreePort } from '../support/servers/free-port.js';
import { sqliteFile } from './backends.js';
import { runCommand } from './run-command.js';

const database = sqliteFile();
const settings = { DATABASE_URL: database.url };
afterAll(() => database.drop());

describe('the command line', () => {
  it('lists the commands when nothing is asked', async () => {
    const { status, out } = await runCommand([], settings);
    expect(status).toBe(0);
    for (const { name, summary } of COMMANDS) expect(out).toContain(`${name.padEnd(15)} ${summary}`);
  });

  it.each(COMMANDS.map(({ name }) => name))('%s explains itself and its exit codes with --help', async (name) => {
    const { status, out } = await runCommand([...name.split(' '), '--help'], {});
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: ${name} `));
    expect(out).toContain('Exit codes: 0');
  });

  it.each(
    COMMANDS.flatMap(({ name, options, help }) => Object.keys(options).map((option) => [name, option, help] as const)),
  )('%s mentions --%s in its help', (_name, option, help) => {
    expect(help).toContain(`--${option}`);
  });

  it.each([
    [['unheard-of'], 'There is no command "unheard-of"'],
    [['user'], 'There is no command "user"'],
    [['doctor', '--unheard-of'], 'Try "doctor --help"'],
    [['doctor', '--clocks-only'], '--clocks-only: name the --high-water FILE'],
    [['user', 'export'], 'Name one user with --key, --subject or --basic, or say --all.'],
    [['user', 'export', '--all', '--key', 'a'.repeat(32)], 'Name one user'],
    [['user', 'erase'], 'Name one user'],
    [['user', 'erase', '--key', 'a'.repeat(32), '--subject', 'alice'], 'Name one user'],
    [['user', 'erase', '--key', 'xyz'], '--key: 32 hexadecimal digits'],
    [['user', 'import'], 'Name one file, or - for standard input'],
    [['user', 'import', '-', '--format', 'unheard-of'], '--format: one of lines, pocket, instapaper, bookmarks'],
    [['advance-clocks', '--to', 'soon'], '--to: a time such as'],
  ])('answers %j with status 2 and what to write instead', async (words, advice) => {
    const { status, err } = await runCommand(words, settings, 'x');
    expect(status).toBe(2);
    expect(err).toContain(advice);
  });

  it.each([
    [['purge'], 'TOMBSTONE_RETENTION_DAYS: is 0'],
    [['user', 'export', '--key', 'a'.repeat(32)], '"user list" shows all'],
    [['user', 'erase', '--key', 'a'.repeat(32)], '"user list" shows all'],
    [['doctor', '--high-water', '/'], '/: can not be read (EISDIR); make it readable, or name another file'],
    [
      ['doctor', '--high-water', resolve('package.json')],
      'package.json: is no high-water mark; name another file, or delete it',
    ],
    [['user', 'import', '/no/such/file'], '/no/such/file: can not be read (ENOENT)'],
    [['user', 'import', '-'], 'The file is empty'],
  ])('answers %j with status 1 and one line that says what is wrong', async (words, reason) => {
    const { status, err } = await runCommand(words, settings);
    expect(status).toBe(1);
    expect(err).toContain(reason);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('says that the database server does not answer', async () => {
    const url = `mysql://root@127.0.0.1:${await findFreePort()}/none`;
    const { status, err } = await runCommand(['user', 'list'], { DATABASE_URL: url });
    expect(status).toBe(1);
    expect(err).toContain('DATABASE_URL: the database does not answer');
  });

  it('names a wrong setting', async () => {
    const { status, err } = await runCommand(['user', 'list'], { DATABASE_URL: 'postgres://x' });
    expect(status).toBe(1);
    expect(err).toMatch(/^DATABASE_URL: /);
  });
});
