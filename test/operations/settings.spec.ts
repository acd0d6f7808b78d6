import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const MAIN = resolve('dist/src/main.js');

/** Starts the service in an empty folder, with a `.env` of its own; it is expected to refuse. */
function start(variables: Record<string, string>, dotenv = '') {
  const cwd = mkdtempSync(join(tmpdir(), 'reading-list-settings-'));
  if (dotenv) writeFileSync(join(cwd, '.env'), dotenv);
  const env = { PATH: process.env.PATH, ...variables };
  return spawnSync(process.execPath, [MAIN], { cwd, env, encoding: 'utf8', timeout: 20_000 });
}

describe('a start with wrong settings', () => {
  it('names each on a line of its own, wherever it was set', () => {
    const { status, stderr } = start(
      { PORT: '65536', NODE_ENV: 'production' },
      'PAGE_SIZE=many\nPAGESIZE=5\nHOST ::1\n',
    );
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'PAGESIZE: unknown, did you mean PAGE_SIZE?',
      'HOST: ignored in .env, where a setting is written NAME=value',
      'PORT: must be an integer from 0 to 65535; it is "65536"',
      'PAGE_SIZE: must be an integer from 1 to 10000; it is "many"',
      'PUBLIC_URL: required in production',
      'USER_ID_SECRET: required in production',
      'SESSION_SECRET: required in production',
    ]);
  });

  it.each(['missing', 'empty'])(
    'in production refuses an SQLite file that is %s, unless it is to make one',
    (state) => {
      const folder = mkdtempSync(join(tmpdir(), 'reading-list-volume-'));
      const file = join(folder, 'list.sqlite');
      if (state === 'empty') writeFileSync(file, '');
      const secrets = { USER_ID_SECRET: 's'.repeat(32), SESSION_SECRET: 's'.repeat(32) };
      const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://list.example.com', ...secrets };
      const { status, stderr } = start({ ...production, DATABASE_URL: `sqlite:${file}` });
      expect(status).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^DATABASE_URL: ${file} does not exist or is empty; .*MIGRATE_ON_START=true\n$`),
      );
      expect(existsSync(file)).toBe(state === 'empty');
    },
  );

  it.each(['utf16le', 'latin1'] as const)('refuses a .env in %s', (encoding) => {
    const cwd = mkdtempSync(join(tmpdir(), 'reading-list-settings-'));
    writeFileSync(join(cwd, '.env'), Buffer.from('SERVICE_NAME=Leseliste für alle\n', encoding));
    const refused = spawnSync(process.execPath, [MAIN], { cwd, env: { PATH: process.env.PATH }, encoding: 'utf8' });
    expect([refused.status, refused.stderr]).toEqual([1, '.env: cannot be read (not text in UTF-8)\n']);
  });

  it('says that .env cannot be read', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'reading-list-settings-'));
    mkdirSync(join(cwd, '.env'));
    const refused = spawnSync(process.execPath, [MAIN], { cwd, env: { PATH: process.env.PATH }, encoding: 'utf8' });
    expect([refused.status, refused.stderr]).toEqual([1, '.env: cannot be read (EISDIR)\n']);
  });
});
