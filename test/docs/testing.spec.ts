import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the table of cases in docs/testing.md is that of the spec files', { timeout: 120_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/cases.mjs', '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
