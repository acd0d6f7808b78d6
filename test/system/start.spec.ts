import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Starts the built service in an empty folder. */
const spawnService = (variables: Record<string, string>, node: string[] = [], args: string[] = []) =>
  spawn(
    process.execPath,
    [...node, '--import', resolve('test/support/list-packages.mjs'), resolve('dist/src/main.js'), ...args],
    {
      cwd: mkdtempSync(join(tmpdir(), 'reading-list-start-')),
      env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'fatal', ...variables },
      stdio: 'pipe',
    },
  );

/**
 * The packages that a process has loaded by its end, what it has written, and how it ended. Once it listens it is told to end,
 * unless it is to end on its own.
 */
async function outcomeOf(child: ReturnType<typeof spawnService>, endsOnItsOwn = false) {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (!endsOnItsOwn && output.includes('listening on') && !child.killed) child.kill('SIGTERM');
    });
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const packages = JSON.parse(/packages: (.*)/.exec(output)?.[1] ?? '[]') as string[];
  return { packages, output, status, signal };
}

/** What a service with these settings does until it has listened for a moment and is told to end. */
const packagesOf = (variables: Record<string, string>) => outcomeOf(spawnService(variables));

/** What is loaded with which settings only. */
const OPTIONAL: [name: string, variables: Record<string, string>][] = [
  ['ioredis', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ['rate-limiter-flexible', { RATE_LIMIT_PER_MINUTE: '100' }],
  ['prom-client', { METRICS_PORT: '0' }],
  ['@opentelemetry/sdk-trace-node', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
];

describe('a start', () => {
  it('loads nothing that the settings do not ask for, and nothing that only builds need', async () => {
    const { packages } = await packagesOf({});
    expect(packages).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm', 'better-sqlite3']));
    const unwanted = [
      'swagger-ui-dist',
      'typescript',
      'libphonenumber-js',
      'mysql2',
      ...OPTIONAL.map(([name]) => name),
    ];
    expect(packages.filter((name) => unwanted.includes(name))).toEqual([]);
  });

  it('loads no package twice, within the bundle and as its own files', async () => {
    const { packages } = await packagesOf({ ONLY_FILES: 'true' });
    expect(packages).toEqual(['better-sqlite3', 'bindings', 'file-uri-to-path', 'reflect-metadata']);
  });

  it.each(OPTIONAL)('loads %s with %o', async (name, variables) => {
    expect((await packagesOf(variables)).packages).toContain(name);
  });

  it('loads mysql2 with the address of such a database, and not the other database', async () => {
    const { packages } = await packagesOf({ DATABASE_URL: 'mysql://u:p@127.0.0.1:1/x' });
    expect(packages).toContain('mysql2');
    expect(packages).not.toContain('better-sqlite3');
  });

  it('is refused by a wrong setting before anything but what reads settings is loaded', async () => {
    const { packages, output } = await packagesOf({ PORT: 'x', LOG_LEVEL: 'loud' });
    expect(output).toMatch(/^PORT: .*$/m);
    expect(output).toMatch(/^LOG_LEVEL: .*$/m);
    const ofProxies = ['forwarded', 'ipaddr.js', 'proxy-addr'];
    expect(packages).toEqual(['class-transformer', 'class-validator', 'damerau-levenshtein', 'dotenv', ...ofProxies]);
  });
});

describe('an argument', () => {
  it('that is unknown ends the start with a line that names the one that there is', async () => {
    const { status, output } = await outcomeOf(spawnService({}, [], ['--lna']));
    expect(status).toBe(1);
    expect(output).toMatch(/^--lna: unknown argument; --lan listens on the local network/m);
  });

  it('--lan listens on all addresses, whatever HOST says', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const PORT = String((taken.address() as AddressInfo).port);
    const refused = await outcomeOf(spawnService({ HOST: '127.0.0.1', PORT }, [], ['--lan']));
    expect(refused.output).toContain(`PORT: cannot listen on 0.0.0.0:${PORT} (EADDRINUSE)`);
    taken.close();
  });
});

/** A start during which something happens as soon as it has a handler for signals. */
const startThat = (happens: string) => {
  const script = `process.on('newListener', (name) => name === 'SIGINT' && ${happens});`;
  return outcomeOf(spawnService({}, ['--import', `data:text/javascript,${encodeURIComponent(script)}`]), true);
};

it('signals are handled before anything is loaded', async () => {
  const { packages, status } = await startThat('process.exit(7)');
  expect([status, packages]).toEqual([7, []]);
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s during the start', (signal) => {
  // A process without a handler would end by the signal, or, as the first process of a container, not at all. Node 24 may
  // look at signals only once a start without a database server is complete.
  it('ends the process with status 0', async () => {
    const { status } = await startThat(`setImmediate(() => process.kill(process.pid, '${signal}'))`);
    expect(status).toBe(0);
  });

  it('ends it at once while the database does not respond', async () => {
    const hung = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(hung, 'listening');
    const child = spawnService({ DATABASE_URL: `mysql://u:p@127.0.0.1:${(hung.address() as AddressInfo).port}/x` });
    const outcome = outcomeOf(child);
    await once(hung, 'connection');
    const start = performance.now();
    child.kill(signal);
    const { status, output } = await outcome;
    expect(status).toBe(0);
    expect(output).not.toContain('listening on');
    // It would wait for the database for eight seconds.
    expect(performance.now() - start).toBeLessThan(5_000);
    hung.close();
  });
});

describe('a service that cannot listen', () => {
  it.each([
    ['nowhere.invalid', '(: the host name is unknown; name an IP address of this machine)?'],
    ['192.0.2.1', ': this machine does not have that IP address; name one that it has'],
    ['fe80::1', ''],
  ])('on the host %j names HOST', async (HOST, remedy) => {
    const { status, output } = await packagesOf({ HOST });
    expect(status).toBe(1);
    expect(output).toMatch(new RegExp(`^HOST: cannot listen on .* \\(E[A-Z_]+\\)${remedy}$`, 'm'));
  });

  it('on a port that is taken names PORT', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, output } = await packagesOf({ PORT: String(port) });
    expect(status).toBe(1);
    expect(output).toContain(`PORT: cannot listen on 127.0.0.1:${port} (EADDRINUSE): another process`);
    other.close();
  });
});
