import { defineConfig } from 'vitest/config';

const hostile = ['test/api/bad-input.spec.ts', 'test/hostile/**'];

/** The black-box specs against a service that is already there; run by `npm run test:e2e` (docs/testing.md). */
export default defineConfig({
  test: {
    name: 'e2e',
    include: ['test/api/**/*.spec.ts', 'test/auth/login-entry.spec.ts'],
    exclude: process.env.E2E_HOSTILE === 'true' ? ['test/hostile/**'] : hostile,
    setupFiles: ['test/support/deployment/setup.ts'],
    reporters: ['./test/e2e/reporter.ts'],
    // One request after the other: it is somebody else's service.
    fileParallelism: false,
    isolate: false,
    // A deployment that limits requests makes a case wait a minute for every window that it uses up.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
