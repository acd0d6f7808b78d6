import { execFileSync } from 'node:child_process';

/** Global setup of the tests that start the service from its sources: writes the OpenAPI document that it serves. */
export default function writeContract(): void {
  execFileSync(process.execPath, ['scripts/write-openapi.mjs'], { stdio: 'inherit' });
}
