import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { type Authority, createAuthority } from '../support/servers/certificate.js';
import { asRoot, type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { until } from '../support/waiting.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-list-tls-'));
const CLEAR_TEXT = {
  MariaDB:
    /: cannot be opened: Access denied .*; check user and password, and whether the user requires TLS \(ssl-mode\)$/,
  MySQL: /: cannot be opened: .*require_secure_transport.*; add ssl-mode=VERIFY_IDENTITY or another ssl-mode$/,
};

let ours: Authority;
let foreign: Authority;

beforeAll(async () => {
  [ours, foreign] = await Promise.all([
    createAuthority(join(folder, 'ours')),
    createAuthority(join(folder, 'foreign')),
  ]);
});

type Issued = Awaited<ReturnType<Authority['issue']>>;

const tlsFlags = ({ cert, key }: Issued): string[] => [
  '--require-secure-transport=ON',
  `--ssl-ca=${ours.ca}`,
  `--ssl-cert=${cert}`,
  `--ssl-key=${key}`,
];

/** Starts the service, asks for its heartbeat until it is 200, and stops it. */
async function serves(DATABASE_URL: string): Promise<void> {
  const app = await start(DATABASE_URL);
  await until(() => isHealthy(app));
  await app.close();
}

const start = (DATABASE_URL: string): Promise<TestApp> => startApp({}, { url: DATABASE_URL, drop: async () => {} });

const isHealthy = async ({ url }: TestApp): Promise<boolean> => (await fetch(`${url}/__heartbeat__`)).ok;

const refusal = (url: string): Promise<string> =>
  start(url).then(
    () => 'it started',
    (error: Error) => error.message,
  );

describe.each([
  ['MariaDB', startMariaDb],
  ['MySQL', startMysql],
] as const)('a %s that requires TLS', (kind, startServer) => {
  let server: DatabaseServer;
  let issued: Issued;
  const url = (parameters: string, host = '127.0.0.1', user = 'root') =>
    `mysql://${user}@${host}:${server.port}/list?${parameters}`;

  beforeAll(async () => {
    issued = await ours.issue(`server-${kind}`, 'IP:127.0.0.1');
    server = await startServer({ extraFlags: tlsFlags(issued) });
    await server.createDatabase('list');
  });
  afterAll(() => server.remove());

  it.each(['REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'])(
    'is used with ssl-mode=%s and the right authority',
    async (mode) => {
      await serves(url(`ssl-mode=${mode}&ssl-ca=${ours.ca}`));
    },
  );

  it('is used without looking at its certificate if ssl-mode=REQUIRED names no authority', async () => {
    await serves(url('SSL-Mode=required', 'localhost'));
  });

  it('is used over its socket', async () => {
    await serves(`mysql://root@localhost/list?socket=${encodeURIComponent(server.socket)}`);
  });

  it.each<[string, () => string, RegExp]>([
    ['clear text', () => url('ssl-mode=DISABLED'), CLEAR_TEXT[kind]],
    [
      'another authority',
      () => url(`ssl-mode=VERIFY_CA&ssl-ca=${foreign.ca}`),
      /; set ssl-ca to the certificate of the authority /,
    ],
    ['the public authorities', () => url('ssl-mode=VERIFY_CA'), /; set ssl-ca to the certificate of the authority /],
    [
      'a host that the certificate does not name',
      () => url(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${ours.ca}`, 'localhost'),
      /Hostname\/IP does not match .*; connect to a host that the certificate is issued for, or choose ssl-mode=VERIFY_CA$/,
    ],
    [
      'an IP address that the certificate does not name',
      () => url(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${ours.ca}`, '[::ffff:127.0.0.1]'),
      /Hostname\/IP does not match .*; connect to a host that the certificate is issued for/,
    ],
  ])('refuses the start with %s, in one line', async (_, ofUrl, line) => {
    const message = await refusal(ofUrl());
    expect(message).toMatch(line);
    expect(message).toMatch(/^DATABASE_URL: cannot be opened: .*$/);
  });

  it('asks users who need one for a client certificate', async () => {
    await runSql(
      asRoot(server.socket),
      "CREATE USER careful@'%' IDENTIFIED BY '' REQUIRE X509",
      "GRANT ALL ON list.* TO careful@'%'",
    );
    const { cert, key } = await ours.issue('client', 'DNS:client');
    const tls = `ssl-mode=VERIFY_CA&ssl-ca=${ours.ca}`;
    const mine = url(`${tls}&ssl-cert=${cert}&ssl-key=${key}`, '127.0.0.1', 'careful');
    await serves(mine);
    expect(await refusal(url(tls, '127.0.0.1', 'careful'))).toMatch(/client certificate \(ssl-cert, ssl-key\)$/);
    const other = await foreign.issue('client', 'DNS:client');
    expect(await refusal(url(`${tls}&ssl-cert=${other.cert}&ssl-key=${other.key}`, '127.0.0.1', 'careful'))).toMatch(
      /^DATABASE_URL: cannot be opened: .*; the server does not accept the certificate of ssl-cert, or the version of TLS$/,
    );
  });

  it('is refused while its certificate has expired, and used once that is renewed', async () => {
    const expired = await ours.issue(`server-${kind}`, 'IP:127.0.0.1', -1);
    await server.stop();
    await server.start();
    const app = await start(url(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${ours.ca}`));
    expect((await fetch(`${app.url}/__heartbeat__`)).status).toBe(503);
    expect((await fetch(`${app.url}/__lbheartbeat__`)).status).toBe(503);
    expect(expired).toEqual(await ours.issue(`server-${kind}`, 'IP:127.0.0.1'));
    await server.stop();
    await server.start();
    await until(() => isHealthy(app));
    await app.close();
  });

  it('takes certificates that were renewed while the service ran', async () => {
    const ca = join(folder, `ca-${kind}.pem`);
    copyFileSync(ours.ca, ca);
    const app = await start(url(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${ca}`));
    expect(await isHealthy(app)).toBe(true);
    writeFileSync(ca, 'half of a');
    await runSql(asRoot(server.socket), 'FLUSH TABLES');
    await server.stop();
    await server.start();
    await until(() => isHealthy(app));
    copyFileSync(foreign.ca, ca);
    await server.stop();
    await server.start();
    await until(async () => !(await isHealthy(app)));
    copyFileSync(ours.ca, ca);
    await until(() => isHealthy(app));
    await app.close();
  });
});

describe.each([
  ['MariaDB', startMariaDb, '--skip-ssl'],
  ['MySQL', startMysql, '--tls-version='],
] as const)('a %s without TLS', (_, startServer, flag) => {
  it('refuses the start with an ssl-mode, and serves without one', async () => {
    const server = await startServer({ extraFlags: [flag] });
    const url = await server.createDatabase('list');
    expect(await refusal(`${url}?ssl-mode=REQUIRED`)).toMatch(
      /^DATABASE_URL: cannot be opened: .*; set up TLS on the server, or choose ssl-mode=DISABLED$/,
    );
    await serves(`${url}?ssl-mode=DISABLED`);
    await server.remove();
  });
});
