// Runs the suites one after the other, also after one has failed, and says at the end how long each took and which failed.
// `npm test -- unit web` runs only those.
import { spawnSync } from 'node:child_process';

const SUITES = {
  unit: ['unit', '--coverage'],
  api: ['api-*'],
  web: ['web'],
  system: ['system'],
  light: ['light', '--project', 'client', '--project', 'client-mariadb'],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: not a suite; there are ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}

const results = [];
for (const name of chosen.length > 0 ? chosen : Object.keys(SUITES)) {
  console.log(`\n-- ${name}`);
  const start = performance.now();
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', ...SUITES[name]], { stdio: 'inherit' });
  results.push({ name, hasPassed: status === 0, seconds: Math.round((performance.now() - start) / 1000) });
}

console.log('\nsuite      seconds');
for (const { name, hasPassed, seconds } of results)
  console.log(`${name.padEnd(11)}${String(seconds).padStart(7)}${hasPassed ? '' : '  FAILED'}`);
if (results.some(({ hasPassed }) => !hasPassed)) process.exitCode = 1;
