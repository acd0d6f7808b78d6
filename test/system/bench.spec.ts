import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../bench/load/operations.js';
import type { Results } from '../../bench/measure.js';

const run = promisify(execFile);
const TIMEOUT_MS = 240_000;

/** Times are not looked at: what they are depends on what else the machine is doing. */
describe('the benchmark', () => {
  let databases: Results[];

  beforeAll(async () => {
    const output = join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'bench.json');
    await run(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.bench.json']);
    await run(process.execPath, ['dist/bench/bench/run.js', '--quick', '--output', output]);
    ({ databases } = JSON.parse(readFileSync(output, 'utf8')) as { databases: Results[] });
  }, TIMEOUT_MS);

  it('measures MariaDB and SQLite', () => {
    expect(databases.map(({ database }) => database)).toEqual(['mariadb', 'sqlite']);
  });

  it('compares the service with the limit server in every operation', () => {
    for (const { comparisons } of databases) {
      expect(comparisons.map(({ operation }) => operation)).toEqual(OPERATIONS.map(({ name }) => name));
      for (const { ratio, limit, service } of comparisons) {
        expect(ratio).toBeGreaterThan(0);
        expect(ratio).toBeLessThan(Infinity);
        expect([limit.errors, service.errors]).toEqual([0, 0]);
      }
    }
  });

  it('sends no more statements than the limit server', () => {
    const [limit, service] = databases[0]!.facts;
    expect(Object.keys(service!.statements!)).toContain('poll');
    // Statements that no request asked for fall into the measurement, of both sides, once in a while.
    const rounded = (counts: Record<string, number>) =>
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round(count)]));
    expect(rounded(service!.statements!)).toEqual({
      ...rounded(limit!.statements!),
      ...{ list: 1, since: 1, batch: 6 },
    });
  });

  it('measures each operation, and all together, at 80 % of the highest load', () => {
    for (const { load } of databases) {
      expect(Object.keys(load!)).toEqual([...OPERATIONS.map(({ name }) => name), 'mixture']);
      for (const servers of Object.values(load!))
        for (const { most, atFourFifths } of [servers.limit!, servers.service!])
          for (const { requests, errors } of [...most, ...atFourFifths]) {
            expect(requests).toBeGreaterThan(0);
            expect(errors).toBe(0);
          }
    }
  });

  it('measures how latencies grow', () => {
    for (const { articles, users } of databases)
      for (const { sizes, milliseconds } of [articles!, users!])
        for (const times of Object.values(milliseconds)) {
          expect(times).toHaveLength(sizes.length);
          expect(Math.min(...times)).toBeGreaterThan(0);
        }
  });
});
