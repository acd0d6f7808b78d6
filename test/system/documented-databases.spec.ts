import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { startNewestMariaDb } from '../support/servers/newest-mariadb.js';
import { yaml } from '../operations/deployed-files.js';

let servers: DatabaseServer[];
let mysql: string;
let mariaDb: string;
let newestMariaDb: string;
beforeAll(async () => {
  servers = await Promise.all([startMysql(), startMariaDb(), startNewestMariaDb()]);
  [mysql, mariaDb, newestMariaDb] = (await Promise.all(servers.map(versionOf))) as [string, string, string];
}, 300_000);
afterAll(() => Promise.all(servers.map((server) => server.remove())));

/** The first two numbers of a server's version. */
async function versionOf(server: DatabaseServer): Promise<string> {
  const [row] = await runSql(server.url(), 'SELECT VERSION() AS version');
  return /^\d+\.\d+/.exec(String(row!.version))![0];
}

it('the documents name the databases that these tests run on', () => {
  const upgrading = readFileSync('docs/upgrading.md', 'utf8');
  expect(upgrading).toMatch(new RegExp(`^\\| MySQL .*\\| ${mysql} `, 'm'));
  expect(upgrading).toMatch(new RegExp(`^\\| MariaDB .*\\| ${mariaDb} .* ${newestMariaDb} `, 'm'));
  expect(readFileSync('docs/operations.md', 'utf8')).toContain(
    `MySQL ${mysql}, MariaDB ${mariaDb} or MariaDB ${newestMariaDb}`,
  );
});

it('Compose starts one of them', () => {
  expect(yaml('compose.yaml').services.mysql.image).toBe(`mysql:${mysql}`);
});
