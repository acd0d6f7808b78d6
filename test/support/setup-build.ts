import { execFileSync } from 'node:child_process';

/** Global setup of the tests that start the built service: brings `dist/` up to date. */
export default function build(): void {
  execFileSync(process.execPath, ['scripts/ensure-built.mjs'], { stdio: 'inherit' });
}
