// Brings dist/ up to date where the compiler is installed; an image without it comes with dist/ already.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const compiler = 'node_modules/typescript/bin/tsc';
if (existsSync(compiler) && existsSync('tsconfig.build.json')) {
  const { status } = spawnSync(process.execPath, [compiler, '--build', 'tsconfig.build.json'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (!existsSync('dist/src/main.js')) {
  console.error('dist/ is missing: run npm ci (with development dependencies) and npm run build first');
  process.exitCode = 1;
}
