import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, runHere } from '../operations/run-command.js';
import { anArticle } from '../support/article.js';
import { send } from '../support/devices.js';
import { asRoot, type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { runService, startService } from '../support/service.js';

const NAME = 'My Reading.List `ü`';

describe.each([
  ['MariaDB', startMariaDb],
  ['MySQL', startMysql],
] as const)('a database with an unusual name on %s', (_, startServer) => {
  let server: DatabaseServer;
  let DATABASE_URL: string;

  beforeAll(async () => {
    server = await startServer({ extraFlags: ['--bind-address=::1'] });
    await server.createDatabase(NAME);
    await runSql(
      asRoot(server.socket),
      "CREATE USER `me@home`@'%' IDENTIFIED BY 'p:a/s@s%'",
      `GRANT ALL ON \`${NAME.replaceAll('`', '``').replaceAll('_', '\\_')}\`.* TO \`me@home\`@'%'`,
    );
    DATABASE_URL = `mysql://me%40home:p%3Aa%2Fs%40s%25@[::1]:${server.port}/${encodeURIComponent(NAME)}`;
  });
  afterAll(() => server.remove());

  it('is migrated, served, checked and shown to the command line of TypeORM', async () => {
    expect(await runCommand(['migrate'], { DATABASE_URL })).toMatchObject({ status: 0, err: '' });
    const service = await startService({ DATABASE_URL });
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await send(service.url, 'me', method, `/articles${path}`, body);
      expect([method, path, answer.status]).toEqual([method, path, method === 'POST' ? 201 : 200]);
      return answer.body;
    };
    const { id } = await ask('POST', '', anArticle());
    await ask('POST', '', anArticle());
    await ask('PATCH', `/${id}`, { title: 'changed' });
    for (const query of ['', '?_since=0', '?unread=true&_sort=-title', '?_limit=1']) await ask('GET', query);
    await ask('DELETE', `/${id}`);
    await ask('DELETE', '');
    await service.kill();
    const settings = { DATABASE_URL, BASIC_PASSWORD: 'secret', TOMBSTONE_RETENTION_DAYS: '1' };
    const commands = [
      'doctor',
      'doctor --repair',
      'purge',
      'advance-clocks',
      'token create me --name phone',
      'token list',
      'token revoke me --name phone',
      'user list',
      'user export --all',
      'user erase --basic me',
    ];
    for (const command of commands)
      expect([command, await runHere(command.split(' '), settings)]).toMatchObject([command, { status: 0 }]);
    const words = [resolve('node_modules/typeorm/cli.js'), 'migration:show', '-d', resolve('dist/ormconfig.js')];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      env: { PATH: process.env.PATH, DATABASE_URL },
    });
    expect(stdout).toMatch(/\[X\] \d+ CreateTokens/);
  });

  it('is named where it does not exist', async () => {
    const { status, output } = await runService({ DATABASE_URL: `${DATABASE_URL}2` });
    expect(status).toBe(1);
    expect(output).toMatch(/^DATABASE_URL: cannot be opened: .*; if ".*ü`2" does not exist, create it, or .*\n$/);
  });
});
