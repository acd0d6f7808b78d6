import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import { send } from '../support/devices.js';
import { asRoot, type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { runService, type Service, startService } from '../support/service.js';
import { inBackground, until } from '../support/waiting.js';

/** Longer than the service takes to give up a server that hangs. */
const MIGRATION_MS = Number(process.env.MIGRATION_MS ?? 20_000);

describe.each([
  ['MariaDB', startMariaDb],
  ['MySQL', startMysql],
] as const)('MIGRATE_ON_START on %s', (_, startServer) => {
  let server: DatabaseServer;
  const services: Service[] = [];

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
    await server.remove();
  });

  const start = async (DATABASE_URL: string): Promise<Service> => {
    const service = await startService({
      DATABASE_URL,
      MIGRATE_ON_START: 'true',
      DATABASE_POOL_SIZE: '1',
      LOG_LEVEL: 'warn',
    });
    services.push(service);
    return service;
  };
  const statusOf = async ({ url }: Service) => (await fetch(`${url}/__lbheartbeat__`)).status;

  /** A database whose last migration has to be run again. */
  async function nearlyMigrated(name: string): Promise<string> {
    const DATABASE_URL = await server.createDatabase(name);
    await mustRunHere(['migrate'], { DATABASE_URL });
    await runSql(DATABASE_URL, "DELETE FROM migrations WHERE name LIKE 'CreateTokens%'");
    return DATABASE_URL;
  }

  it('creates the database', async () => {
    const service = await start(server.url('New.List'));
    expect((await send(service.url, 'me', 'GET', '/articles')).status).toBe(200);
  });

  it('says who has to create the database if the user of the service may not', async () => {
    await runSql(asRoot(server.socket), "CREATE USER modest@'%' IDENTIFIED BY ''");
    const DATABASE_URL = server.url('other').replace('root@', 'modest@');
    const { status, output } = await runService({ DATABASE_URL, MIGRATE_ON_START: 'true' });
    expect(status).toBe(1);
    expect(output).toMatch(
      /^DATABASE_URL: cannot be opened: Access denied .*; if "other" does not exist, create it, .*\n$/,
    );
  });

  it('lets a migration take its time, answers 503 meanwhile, and runs it in one of several instances', async () => {
    const DATABASE_URL = await nearlyMigrated('slow');
    const holder = await createConnection(DATABASE_URL);
    await holder.query('LOCK TABLES migrations READ');
    const endsOn = Date.now() + MIGRATION_MS;
    const both = await Promise.all([start(DATABASE_URL), start(DATABASE_URL)]);
    for (; Date.now() < endsOn; await sleep(250)) expect(await Promise.all(both.map(statusOf))).toEqual([503, 503]);
    await holder.query('UNLOCK TABLES');
    await holder.end();
    for (const service of both) {
      await until(async () => (await statusOf(service)) === 200);
      expect((await send(service.url, 'me', 'GET', '/articles')).status).toBe(200);
      expect(service.output()).not.toContain('retrying');
    }
    const names = (await runSql(DATABASE_URL, 'SELECT name FROM migrations')).map(({ name }) => name);
    expect(names.length).toBe(new Set(names).size);
    expect(await runSql(DATABASE_URL, 'SELECT * FROM leases')).toEqual([]);
  }, 120_000);

  it('renews its lock again after a renewal that failed', async () => {
    const DATABASE_URL = await nearlyMigrated('renewed');
    const lease = () => runSql(DATABASE_URL, 'SELECT expires_on FROM leases');
    await runSql(DATABASE_URL, "CREATE TRIGGER failing BEFORE UPDATE ON leases FOR EACH ROW SIGNAL SQLSTATE '45000'");
    const holder = await createConnection(DATABASE_URL);
    await holder.query('LOCK TABLES migrations READ');
    const migrating = inBackground([mustRunHere(['migrate'], { DATABASE_URL })]);
    await until(async () => (await lease()).length === 1);
    await sleep(1_500);
    await runSql(DATABASE_URL, 'DROP TRIGGER failing');
    const [failed] = await lease();
    await until(async () => (await lease())[0]?.expires_on !== failed?.expires_on);
    await holder.end();
    await migrating;
  });

  it('goes on where another process was killed over it', async () => {
    const DATABASE_URL = await nearlyMigrated('killed');
    await runSql(DATABASE_URL, "INSERT INTO leases VALUES ('migrate', 'killed', 9999999999999)");
    expect(await mustRunHere(['migrate'], { DATABASE_URL })).toMatch(/^done: CreateTokens/);
  });
});
