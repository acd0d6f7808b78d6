import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const hostile = ['test/api/bad-input.spec.ts', 'test/hostile/**'];

/** Lists tombstones, of which given test users have some after any other file. */
const FIRST = 'articles-list.spec.ts';

/** Always the same order, unlike Vitest's own, which begins with what took longest before. */
class FixedOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): string => (moduleId.endsWith(FIRST) ? '' : moduleId);
    return Promise.resolve(files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)));
  }
}

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
    sequence: { sequencer: FixedOrder },
    // A deployment that limits requests makes a case wait a minute for every window that it uses up.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
