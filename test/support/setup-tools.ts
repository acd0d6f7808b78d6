import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const INSTALLED = 'test/tools/node_modules/.package-lock.json';

/** Global setup of the tests that run the programs of `test/tools`: installs them the first time, and after a change. */
export default function installTools(): void {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync('test/tools/package-lock.json').mtimeMs) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: 'test/tools',
    stdio: 'inherit',
  });
}
