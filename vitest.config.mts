import { defineConfig } from 'vitest/config';

/** The same API specs, once for each database. */
const api = (name: string, globalSetup: string[] = []) => ({
  test: {
    name: `api-${name}`,
    include: ['test/api/**/*.spec.ts'],
    env: { TEST_DATABASE: name },
    globalSetup,
    // The files share nothing but the loaded modules, and loading them takes longer than the tests.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.spec.ts'] } },
      api('sqlite'),
      api('mariadb', ['test/support/setup-mariadb.ts']),
      api('mysql', ['test/support/setup-mysql.ts']),
      ...(process.env.TEST_MYSQL_URL ? [api('given', ['test/support/setup-given.ts'])] : []),
      {
        test: {
          name: 'system',
          globalSetup: ['test/support/setup-build.ts'],
          include: ['test/{auth,docs,operations,system}/**/*.spec.ts', 'test/support/**/*.spec.ts'],
          // Whole systems with time limits: side by side they would slow each other down.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/protocol/**/*.ts', 'src/articles/article.ts'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});
