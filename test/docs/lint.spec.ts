import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
/** Neither asks the internet for a newer version of itself. */
const env = { PATH: process.env.PATH, CI: 'true', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

// The warnings of both are failures: exceptions stand, with their reasons, in the configuration beside this file.
it.each([
  [
    'Redocly',
    '@redocly/cli/bin/cli.js',
    ['lint', 'dist/openapi.json', '--config', 'test/docs/redocly.yaml', '--format=json'],
  ],
  [
    'Spectral',
    '@stoplight/spectral-cli/dist/index.js',
    ['lint', 'dist/openapi.json', '--ruleset', 'test/docs/spectral.yaml', '--format=json', '--quiet'],
  ],
])('%s has no complaint about the contract', async (_, program, words) => {
  const { stdout } = await run(process.execPath, [`test/tools/node_modules/${program}`, ...words], { env }).catch(
    (failure: { stdout: string }) => failure,
  );
  const report = JSON.parse(stdout) as { problems?: unknown[] } | unknown[];
  expect(Array.isArray(report) ? report : report.problems).toEqual([]);
});
