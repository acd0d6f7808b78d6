import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountKey } from '../../src/auth/caller.js';
import { SETTING_NAMES } from '../../src/config/settings.js';
import { readSettings } from '../../src/config/load-settings.js';
import { canBeFirstProcess, signalFirstProcess, spawnFirstProcess } from '../support/servers/first-process.js';
import { runSql } from '../support/servers/database-server.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { sqliteFile } from './backends.js';
import { commandNames, mustRunHere, runCommand, runHere } from './run-command.js';

const database = sqliteFile();
const settings = { DATABASE_URL: database.url };
beforeAll(() => mustRunHere(['migrate'], settings));
afterAll(() => database.drop());

const COMMANDS = commandNames();

describe('the command line', () => {
  it('lists the commands when nothing is asked', async () => {
    const { status, out } = await runCommand([], settings);
    expect(status).toBe(0);
    for (const name of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
  });

  it.each([
    [['unheard-of']],
    [['user', 'import', '--help']],
    [['user', 'export', '--local', 'alise']],
    [['migrate', '--check']],
  ])('%j ends in a process of its own as it does in that of these tests', async (words) => {
    expect(await runCommand(words, settings)).toEqual(await runHere(words, settings));
  });

  it.each(COMMANDS)('%s explains itself and its exit codes with --help', async (name) => {
    const { status, out } = await runHere([...name.split(' '), '--help'], {});
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: commands ${name} `));
    expect(out).toContain('Exit codes: 0');
  });

  it.each([
    [['unheard-of'], "unknown command 'unheard-of'"],
    [['exprot'], "unknown command 'exprot'"],
    [['user'], 'user export '],
    [['user', 'exprot'], '(Did you mean export?)'],
    [['doctor', '--unheard-of'], "unknown option '--unheard-of'\nAdd --help for more."],
    [['migrate', '--nope'], "unknown option '--nope'"],
    [['user', 'export', '--key'], "option '--key <hex>' argument missing"],
    [['user', 'erase', '--subject', '--dry-run'], "option '--subject <subject>' argument missing"],
    [['doctor', '--high-water', 'file'], "unknown option '--high-water'"],
    [['user', 'export'], 'Name one user with --key, --subject, --local or --basic, or use --all.'],
    [['user', 'export', '--all', '--key', 'a'.repeat(32)], 'Name one user'],
    [
      ['user', 'link', 'alice', '--subject', 'x', '--issuer', 'id.example.com'],
      "'id.example.com' is invalid. Expected the URL of the identity provider, as in OAUTH_URI.",
    ],
    [['user', 'erase'], 'Name one user'],
    [['user', 'erase', '--key', 'a'.repeat(32), '--subject', 'alice'], 'Name one user'],
    ...[
      ['--local', 'alice'],
      ['--basic', 'alice'],
      ['--key', 'a'.repeat(32)],
    ].map((named) => [['user', 'erase', ...named, '--issuer', 'https://id.example.com'], '--issuer: needs --subject.']),
    [['user', 'erase', '--key', 'xyz'], '32 hexadecimal digits'],
    [['user', 'import'], "missing required argument 'file'"],
    [['user', 'import', '-', '--format', 'unheard-of'], 'Allowed choices are lines, csv, pocket, instapaper, '],
    [['advance-clocks', '--to', 'soon'], 'Expected a time such as'],
    [['advance-clocks', '--to', '2026-01-31T12:00:00'], 'Expected a time such as'],
    [['advance-clocks', '--to', '9999-06-30T12:00:00Z'], 'Expected a time such as'],
    [['advance-clocks', '2100-01-31T12:00:00Z'], "too many arguments for 'advance-clocks'"],
    [['user', 'export', '--all', 'all.jsonl'], "too many arguments for 'export'"],
    [['doctor', 'repair'], "too many arguments for 'doctor'"],
    ...['--subject', '--local', '--basic'].map((option) => [
      ['user', 'export', option, ''],
      'The name of the user is empty',
    ]),
  ] as [string[], string][])('answers %j with status 2 and what to write instead', async (words, advice) => {
    const { status, out, err } = await runHere(words, settings, 'x');
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(advice);
  });

  it('does not take the password of a Basic user from the file on standard input', async () => {
    const words = ['user', 'import', '-', '--basic', 'me'];
    const { status, err } = await runCommand(words, settings, 'url\nhttps://example.com/\n');
    expect([status, err]).toEqual([2, expect.stringContaining('BASIC_PASSWORD: required when the file is standard')]);
  });

  it.each([
    [['token', 'create', '--name', 'phone'], "missing required argument 'user'"],
    [['token', 'create', 'alice'], "required option '--name <name>' not specified"],
    [['token', 'create', 'alice', '--name', 'phone', '--expires', 'soon'], 'Expected hours, days or weeks'],
    [['token', 'revoke'], "missing required argument 'user'"],
    [['token', 'revoke', 'alice'], '--name: name a token, or use --all.'],
    [
      ['token', 'revoke', 'alice', '--all', '--name', 'phone'],
      "option '--all' cannot be used with option '--name <name>'",
    ],
    [['token', 'list', 'alice', 'bob'], 'too many arguments'],
    [['user', 'export'], 'Name one user'],
    [['user', 'export', '--issuer', 'https://id.example.com'], 'Name one user'],
    [['user', 'erase'], 'Name one user'],
    [['user', 'import'], "missing required argument 'file'"],
    [['user', 'link', 'alice'], "required option '--subject <subject>' not specified"],
    [['doctor', '--key', 'a'.repeat(32), '--local', 'alice'], 'Name one user'],
    [['advance-clocks', '--to', 'soon'], 'Expected a time such as'],
    [['backup'], "missing required argument 'file'"],
    [['restore', 'one', 'two'], 'too many arguments'],
  ] as [string[], string][])('answers %j with status 2 whatever settings and database are', async (words, advice) => {
    const { status, err } = await runHere(words, { DATABASE_URL: 'postgres://db/list' });
    expect(status).toBe(2);
    expect(err).toContain(advice);
  });

  it('imports nothing for a user of an identity provider that there is not', async () => {
    const production = { ...settings, NODE_ENV: 'production', PUBLIC_URL: 'https://list.example.com' };
    const secrets = { USER_ID_SECRET: 'u'.repeat(32), SESSION_SECRET: 's'.repeat(32) };
    const pocket = 'title,url,time_added,tags,status\nT,https://example.com/,1,,unread\n';
    const words = ['user', 'import', '-', '--subject', 'alice'];
    const { status, err } = await runHere(words, { ...production, ...secrets }, pocket);
    expect([status, err.split('\n')[0]]).toEqual([
      2,
      'error: --issuer: OAUTH_URI is not set; name the identity provider.',
    ]);
  });

  it.each(['https://provider.example', 'https://provider.example/'])('knows the issuer %s as one', async (issuer) => {
    const { err } = await runHere(['user', 'export', '--subject', 'alice', '--issuer', issuer], settings);
    const key = accountKey(readSettings(settings).userIdSecret, 'bearer', ['https://provider.example', 'alice']);
    expect(err).toBe(
      `--subject alice: there is no such user of https://provider.example (key ${key.toString('hex')}); "user list" shows all.\n`,
    );
  });

  it.each([
    [['purge'], 'TOMBSTONE_RETENTION_DAYS is 0'],
    [
      ['user', 'export', '--key', 'a'.repeat(32)],
      `--key ${'a'.repeat(32)}: there is no such user; "user list" shows all`,
    ],
    [['user', 'erase', '--key', 'a'.repeat(32)], '"user list" shows all'],
    [['user', 'export', '--local', 'alise'], '--local alise: there is no such user (key '],
    [['user', 'import', '/no/such/file'], '/no/such/file: there is no such file'],
    [['user', 'import', '/tmp'], '/tmp: is a folder; name a file in it'],
    [['user', 'import', '-'], 'The file is empty'],
  ])('answers %j with status 1 and one line that says what is wrong', async (words, reason) => {
    const { status, err } = await runHere(words, settings);
    expect(status).toBe(1);
    expect(err).toContain(reason);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['doctor'], 1],
    [['migrate', '--check'], 1],
    [['user', 'list'], 1],
    [['user', 'import', '-'], 1],
    [['advance-clocks'], 1],
    [['migrate'], 0],
  ])('%j makes an SQLite file only where it is to', async (words, expected) => {
    const elsewhere = sqliteFile();
    const path = elsewhere.url.slice('sqlite:'.length);
    const { status, err } = await runHere(words, { DATABASE_URL: elsewhere.url }, '{}');
    expect(status).toBe(expected);
    expect(existsSync(path)).toBe(expected === 0);
    if (expected !== 0)
      expect(err).toMatch(new RegExp(`^DATABASE_URL: ${path} does not exist or is empty; .*npm run migrate.*\n$`));
    await elsewhere.drop();
  });

  it.each([[['migrate']], [['migrate', '--check']], [['user', 'list']]])(
    '%j says of a file that is not a database which it is',
    async (words) => {
      const file = resolve('package.json');
      const { status, err } = await runHere(words, { DATABASE_URL: `sqlite:${file}` });
      expect([status, err]).toEqual([
        1,
        `DATABASE_URL: ${file} is not a SQLite database; ` +
          'check the path, or restore a backup if it was the database of this service\n',
      ]);
    },
  );

  it.each([[['migrate']], [['migrate', '--check']]])('%j says of a file that another process holds', async (words) => {
    const file = join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'list.sqlite');
    const other = new Sqlite(file);
    other.exec('CREATE TABLE held (x); BEGIN EXCLUSIVE');
    const { status, err } = await runHere(words, { DATABASE_URL: `sqlite:${file}` });
    other.close();
    expect([status, err]).toEqual([
      1,
      'DATABASE_URL: another process holds the file (database is locked); end it, or try again when it is done\n',
    ]);
  });

  it.each([
    [['user', '--help'], COMMANDS.filter((name) => name.startsWith('user '))],
    [['help'], COMMANDS],
  ])('%j lists what there is', async (words, names) => {
    const { status, out } = await runHere(words, {});
    expect(status).toBe(0);
    expect([...out.matchAll(/^ {2}(\w[\w-]*(?: \w+)?) {2,}/gm)].map(([, name]) => name!.trim())).toEqual(names);
  });

  it('ends quietly when the reader has seen enough after 1 or 10 lines', async () => {
    const articles = Array.from({ length: 5_000 }, (_, at) => `url,T${at},https://example.com/${at},${at}`);
    const file = `tags,title,url,time_added\n${articles.join('\n')}`;
    await mustRunHere(['user', 'import', '-', '--subject', 'alice'], settings, file);
    for (const lines of [1, 10]) {
      const line = `"$0" "$1" user export --all | head -${lines}`;
      const { stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, resolve('dist/src/commands/cli.js')], {
        env: { PATH: process.env.PATH, ...settings },
        encoding: 'utf8',
      });
      expect(stdout.trim().split('\n')).toHaveLength(lines);
      expect(stderr).toMatch(/^.*"what":"user export".*\n$/);
    }
  });

  it('finishes its work when nobody reads what it says about it', async () => {
    const entries = Array.from({ length: 3_000 }, (_, at) => `no address ${at},T`);
    const file = ['url,title', ...entries, 'https://unread.example/,T'].join('\n');
    const line = `"$0" "$1" user import - --subject bob | head -1; echo "status \${PIPESTATUS[0]}"`;
    const { stdout } = spawnSync('bash', ['-c', line, process.execPath, resolve('dist/src/commands/cli.js')], {
      env: { PATH: process.env.PATH, ...settings },
      input: file,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('line 2'), 'status 3']);
    expect(await mustRunHere(['user', 'export', '--subject', 'bob'], settings)).toContain('https://unread.example/');
  });

  it('says that its output cannot be written', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', '"$0" "$1" user export --all > /dev/full', process.execPath, resolve('dist/src/commands/cli.js')],
      { env: { PATH: process.env.PATH, ...settings }, encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/^.*"what":"user export".*\ncannot write to standard output \(ENOSPC\)\n$/);
  });

  it('says that a token could not be printed, and what to do about it', () => {
    const { status, stderr } = spawnSync(
      'sh',
      [
        '-c',
        '"$0" "$1" token create carol --name phone > /dev/full',
        process.execPath,
        resolve('dist/src/commands/cli.js'),
      ],
      { env: { PATH: process.env.PATH, ...settings }, encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/\nthe token could not be printed; revoke "phone" and create it again\n$/);
  });

  it('ends with status 130 when the question for a password is interrupted', async () => {
    const words = ['user', 'export', '--basic', 'me'].join(' ');
    const command = `DATABASE_URL=${database.url} ${process.execPath} ${resolve('dist/src/commands/cli.js')} ${words}`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { timeout: 20_000 });
    child.stdout.once('data', () => child.stdin.write('\u0003'));
    expect((await once(child, 'exit'))[0]).toBe(130);
  });

  it('asks for a password on a terminal without showing it, and takes one line', () => {
    const words = ['user', 'export', '--basic', 'me'].join(' ');
    const command = `DATABASE_URL=${database.url} ${process.execPath} ${resolve('dist/src/commands/cli.js')} ${words}`;
    const { stdout } = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      input: 's3cr3t\nmore\n',
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stdout).toContain('Password of me (not shown): ');
    expect(stdout).toContain('--basic me: there is no such user with this password (key ');
  });

  it('shows the settings in force, where they come from, and no secret', async () => {
    const env = { PORT: '0', SESSION_SECRET: 's3cr3t', DATABASE_URL: 'mysql://me:s3cr3t@db/list' };
    const out = await mustRunHere(['settings'], env);
    expect(out).toMatch(/^PORT +0 +environment$/m);
    expect(out).toMatch(/^PAGE_SIZE +100 +default$/m);
    expect(out).toMatch(/^OAUTH_REQUIRED_SCOPE +readinglist +default$/m);
    expect(out).toMatch(/^OAUTH_AUDIENCE +reading-list +default$/m);
    expect(out).toMatch(/^SESSION_SECRET +… +environment$/m);
    expect(out).toMatch(/^DATABASE_URL +mysql:\/\/…@db\/list +environment$/m);
    expect(out).not.toContain('s3cr3t');
    const lines = (await mustRunHere(['settings', '--json'], env)).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(SETTING_NAMES);
  });

  it.each([[['migrate']], [['user', 'list']]])('%j says that it cannot reach the database server', async (words) => {
    const port = await findFreePort();
    const { status, err } = await runHere(words, {
      DATABASE_URL: `mysql://root:s3cr3t@127.0.0.1:${port}/none`,
    });
    const reason = `the database server cannot be reached (connect ECONNREFUSED 127.0.0.1:${port})`;
    expect([status, err]).toEqual([1, `DATABASE_URL: ${reason}; check its host and port, and that it is running\n`]);
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2/db', 'mysql://root:…/db'],
    ['DATABASE_URL', 'mysql://root:p%40ss%40db:3306/list', 'mysql://root:…/list'],
    ['REDIS_URL', 'redis://:hunter2', 'redis://:…'],
  ])('shows no password of %s without its @: %s', async (name, value, shown) => {
    const { status, err } = await runHere(['settings'], { [name]: value });
    expect([status, err]).toEqual([1, expect.stringContaining(`it is "${shown}"`)]);
  });

  it('shows no password among the parameters of a URL', async () => {
    const out = await mustRunHere(['settings'], { REDIS_URL: 'redis://[::1]:6379/0?password=hunter2&family=6' });
    expect(out).toMatch(/^REDIS_URL +redis:\/\/\[::1\]:6379\/0\?password=…&family=6 +environment$/m);
  });

  it('ends when the database server hangs', { timeout: 60_000 }, async () => {
    const server = await startMariaDb();
    onTestFinished(() => server.remove());
    const env = { DATABASE_URL: await server.createDatabase('list') };
    await mustRunHere(['migrate'], env);
    const child = spawn(
      process.execPath,
      [resolve('dist/src/commands/cli.js'), 'user', 'import', '-', '--local', 'a'],
      {
        env: { PATH: process.env.PATH, ...env },
      },
    );
    const account = JSON.stringify({ account: 'a'.repeat(32), last_modified: 1, live_count: 0, purged_until: 0 });
    const tombstone = (at: number) => JSON.stringify({ id: randomUUID(), last_modified: 2 + at, deleted: true });
    const lines = Array.from({ length: 1_000 }, (_, at) => tombstone(at));
    child.stdin.write(`${[account, ...lines].join('\n')}\n`);
    await expect.poll(() => runSql(env.DATABASE_URL, 'SELECT 1 FROM articles LIMIT 1')).toHaveLength(1);
    server.signal('SIGSTOP');
    child.stdin.end(`${lines.join('\n')}\n`);
    const start = performance.now();
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('names a wrong setting', async () => {
    const { status, err } = await runHere(['user', 'list'], { DATABASE_URL: 'postgres://x' });
    expect(status).toBe(1);
    expect(err).toMatch(/^DATABASE_URL: /);
  });
});

describe('the audit log', () => {
  const auditOf = async (words: string[]) => {
    const { audit } = await runHere(words, settings);
    return audit.map(({ what, whose }) => [what, whose]);
  };

  it('has who did what to whose data when, on standard error', async () => {
    const { out, audit, err } = await runCommand(
      ['token', 'create', 'ada', '--name', 'phone', '--quiet', '--read-only'],
      settings,
    );
    expect(out).toMatch(/^rl_[\w-]{43}\n$/);
    expect(err).toBe('');
    const [entry, ...more] = audit;
    expect(entry).toMatchObject({
      level: 'info',
      who: userInfo().username,
      what: 'token create --name phone --read-only',
      whose: 'ada',
    });
    expect(Math.abs(Date.parse(entry!.time) - Date.now())).toBeLessThan(60_000);
    expect(more).toEqual([]);
    expect(JSON.stringify(entry)).not.toContain(out.trim());
  });

  it('has a line of each command that reads or changes data of users, and no password', async () => {
    const basic = ['--basic', 'bob'];
    const file = 'url\nhttps://example.com/secret\n';
    const environment = { ...settings, BASIC_PASSWORD: 's3cr3t' };
    const imported = await runCommand(['user', 'import', '-', ...basic], environment, file);
    const exported = await runHere(['user', 'export', ...basic], environment);
    const again = await runHere(['user', 'import', '-', '--dry-run'], environment, exported.out);
    const erased = await runHere(['user', 'erase', ...basic], environment);
    const key = /"account":"(\w+)"/.exec(exported.out)![1]!;
    const all = [imported, exported, again, erased].map(({ audit }) => audit);
    expect(all.map((entries) => entries.map(({ what, whose, account }) => [what, whose, account]))).toEqual([
      [['user import', 'bob', key]],
      [['user export', 'bob', key]],
      [['user import --dry-run', 'users in the file', undefined]],
      [['user erase', 'bob', key]],
    ]);
    expect(JSON.stringify(all)).not.toMatch(/s3cr3t|example/);
  });

  const file = join(mkdtempSync(join(tmpdir(), 'reading-list-audit-')), 'list.csv');
  beforeAll(() => writeFileSync(file, 'url\nhttps://example.com/\n'));

  it.each([
    [['user', 'export', '--all'], 'user export', 'all users'],
    [['token', 'revoke', 'ada', '--all'], 'token revoke --all', 'ada'],
    [['token', 'create', 'eve', '--name', 'phone'], 'token create --name phone', 'eve'],
    [['token', 'revoke', 'eve', '--name', 'phone'], 'token revoke --name phone', 'eve'],
    [['user', 'import', file, '--local', 'eve'], 'user import', 'eve'],
    [['user', 'import', file, '--local', 'eve', '--dry-run'], 'user import --dry-run', 'eve'],
    [['user', 'export', '--local', 'eve'], 'user export', 'eve'],
    [['user', 'link', 'eve', '--subject', '7', '--dry-run'], 'user link --subject 7 --dry-run', 'eve'],
    [['user', 'link', 'eve', '--subject', '7'], 'user link --subject 7', 'eve'],
    [['user', 'erase', '--subject', '7', '--dry-run'], 'user erase --dry-run', '7'],
    [['user', 'erase', '--subject', '7'], 'user erase', '7'],
    [['user', 'deprovision', '7', '--erase-after', '2'], 'user deprovision --erase-after 2', '7'],
    [['user', 'deprovision', '7', '--undo'], 'user deprovision --undo', '7'],
    [['advance-clocks', '--dry-run'], 'advance-clocks --dry-run', 'all users'],
    [['advance-clocks'], 'advance-clocks', 'all users'],
    [['doctor', '--repair'], 'doctor --repair', 'all users'],
  ])('has exactly one line of %j', async (words, what, whose) => {
    const { status, audit } = await runHere(words, settings);
    expect([status, audit.map((entry) => [entry.what, entry.whose])]).toEqual([0, [[what, whose]]]);
  });

  it('has those commands that its documentation names, which are all but these', () => {
    const silent = ['migrate', 'settings', 'purge', 'token list', 'user list'];
    const [, section] = /### Audit log\n(.*?)\n### /s.exec(readFileSync('docs/operations.md', 'utf8'))!;
    const [, sentence] = /The commands are (.*?)\.\n/s.exec(section!)!;
    const named = [...sentence!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!.replace(/ --.*/, ''));
    expect(named.sort()).toEqual(COMMANDS.filter((name) => !silent.includes(name)).sort());
  });

  it('has no line of a command that found no user', async () => {
    expect(await auditOf(['user', 'erase', '--local', 'nobody'])).toEqual([]);
  });

  it('has a line of a command that fails after it has begun', async () => {
    const lines = '{"account":"' + 'a'.repeat(32) + '","last_modified":5,"live_count":0,"purged_until":0}\n{"id":';
    const { status, audit } = await runCommand(['user', 'import', '-', '--local', 'carol'], settings, lines);
    expect([status, audit.map(({ what, whose }) => [what, whose])]).toEqual([1, [['user import', 'carol']]]);
  });
});

if (canBeFirstProcess)
  describe('a command that is the first process of a container', () => {
    it.each([
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const)('is ended by %s, with status %i', async (signal, status) => {
      const hung = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(hung, 'listening');
      const DATABASE_URL = `mysql://u:p@127.0.0.1:${(hung.address() as AddressInfo).port}/x`;
      const env = { PATH: process.env.PATH, DATABASE_URL };
      const child = spawnFirstProcess(['dist/src/commands/cli.js', 'user', 'list'], { env, stdio: 'ignore' });
      const exited = once(child, 'exit') as Promise<[number | null]>;
      await once(hung, 'connection');
      signalFirstProcess(child, signal);
      expect((await exited)[0]).toBe(status);
      hung.close();
    });
  });
