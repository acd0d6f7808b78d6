import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runE2e } from '../e2e/run-e2e.js';
import { startService } from '../support/service.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-list-limits-'));
const report = join(folder, 'report.html');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The life of one article against a service with these settings; it takes about twenty requests of one user. */
async function runSmoke(settings: Record<string, string>, ...options: string[]) {
  const service = await startService({ DATABASE_URL: 'sqlite::memory:', MIGRATE_ON_START: 'true', ...settings });
  const start = performance.now();
  const args = ['--url', service.url, '--basic', '--only', 'smoke', '--max-rate', '1000', ...options];
  const { status, output } = await runE2e(args);
  await service.kill();
  expect(output).not.toContain('FAILED');
  expect(output).toMatch(/^1 passed, 0 failed/m);
  expect(status).toBe(0);
  return { output, seconds: (performance.now() - start) / 1000 };
}

const SLOWED = /^Slowed by the deployment: (\d+) requests got 429 and were repeated; .* asked to wait (\d+) s\.$/m;

// They wait, and need not wait for each other.
describe.concurrent('the end-to-end suites', () => {
  it('waits for the next minute and repeats what a rate limit refuses', { timeout: 180_000 }, async () => {
    const { output, seconds } = await runSmoke({ RATE_LIMIT_PER_MINUTE: '12' }, '--html', report);
    const [, refused, asked] = SLOWED.exec(output)!.map(Number);
    expect(refused).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(0);
    expect(seconds).toBeGreaterThan(asked!);
    expect(readFileSync(report, 'utf8')).toMatch(/<p>Slowed by the deployment: /);
  });

  it('sends nothing while Backoff asks for rest', { timeout: 180_000 }, async () => {
    const { output, seconds } = await runSmoke({ BACKOFF: 'always', BACKOFF_SECONDS: '1' });
    const [, refused, asked] = SLOWED.exec(output)!.map(Number);
    expect(refused).toBe(0);
    expect(asked).toBeGreaterThan(8);
    expect(seconds).toBeGreaterThan(asked! - 2);
  });
});
