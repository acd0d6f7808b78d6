// npm run soak:client [-- HISTORIES]: runs random histories of three devices and an unreliable network, 20,000 by
// default.
import { spawnSync } from 'node:child_process';

const [histories = '20000'] = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'client',
    'clients/typescript/test/service/convergence.spec.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, CLIENT_HISTORIES: histories } },
);
process.exitCode = status ?? 1;
