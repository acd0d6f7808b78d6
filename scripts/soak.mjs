// Repeats the concurrency and fault tests for the given number of minutes (60 by default); stops at the first failure.
import { spawnSync } from 'node:child_process';

const minutes = Number(process.argv[2] ?? 60);
if (!Number.isFinite(minutes) || minutes <= 0) {
  console.error('Usage: npm run soak [-- MINUTES]');
  process.exit(2);
}
const specs = [
  'broken-on-purpose',
  'concurrency',
  'concurrent-purge',
  'database-faults',
  'galera',
  'lost-commits',
  'overload',
  'redis',
  'shutdown',
];
const files = [...specs.map((name) => `test/system/${name}.spec.ts`), 'test/hostile'];
process.env.HOSTILE_SECONDS ??= '120';
process.env.LOST_COMMITS ??= '2000';
const end = Date.now() + minutes * 60_000;
for (let round = 1; Date.now() < end; round++) {
  console.log(`round ${round}, ${Math.ceil((end - Date.now()) / 60_000)} minute(s) left`);
  const projects = ['--project', 'system', '--project', 'light'];
  const { status } = spawnSync('npx', ['vitest', 'run', ...projects, ...files], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
