import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The packages that a service with these settings loads until it has listened for a moment and is told to end. */
async function packagesOf(variables: Record<string, string>): Promise<{ packages: string[]; output: string }> {
  const child = spawn(
    process.execPath,
    ['--import', resolve('test/support/list-packages.mjs'), resolve('dist/src/main.js')],
    {
      cwd: mkdtempSync(join(tmpdir(), 'reading-list-start-')),
      env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'fatal', ...variables },
      stdio: 'pipe',
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (output.includes('listening on') && !child.killed) child.kill('SIGTERM');
    });
  await once(child, 'close');
  return { packages: JSON.parse(/packages: (.*)/.exec(output)![1]!) as string[], output };
}

/** What is loaded with which settings only. */
const OPTIONAL: [name: string, variables: Record<string, string>][] = [
  ['ioredis', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ['rate-limiter-flexible', { RATE_LIMIT_PER_MINUTE: '100' }],
  ['prom-client', { METRICS_PORT: '0' }],
  ['@opentelemetry/sdk-trace-node', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
  ['mysql2', { DATABASE_URL: 'mysql://u:p@127.0.0.1:1/x' }],
];

describe('a start', () => {
  it('loads nothing that the settings do not ask for, and nothing that only builds need', async () => {
    const { packages } = await packagesOf({});
    expect(packages).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm', 'better-sqlite3']));
    const unwanted = [
      '@nestjs/swagger',
      'swagger-ui-dist',
      'typescript',
      'libphonenumber-js',
      ...OPTIONAL.map(([name]) => name),
    ];
    expect(packages.filter((name) => unwanted.includes(name))).toEqual([]);
  });

  it.each(OPTIONAL)('loads %s with %o', async (name, variables) => {
    expect((await packagesOf(variables)).packages).toContain(name);
  });

  it('does not load the other database', async () => {
    expect((await packagesOf({ DATABASE_URL: 'mysql://u:p@127.0.0.1:1/x' })).packages).not.toContain('better-sqlite3');
  });

  it('is refused by a wrong setting before anything but what reads settings is loaded', async () => {
    const { packages, output } = await packagesOf({ PORT: 'x', LOG_LEVEL: 'loud' });
    expect(output).toMatch(/^PORT: .*$/m);
    expect(output).toMatch(/^LOG_LEVEL: .*$/m);
    expect(packages).toEqual(expect.arrayContaining(['class-transformer', 'class-validator', 'dotenv']));
    expect(packages.filter((name) => /^(@nestjs|typeorm|express|better-sqlite3|pino|jose)/.test(name))).toEqual([]);
  });
});
