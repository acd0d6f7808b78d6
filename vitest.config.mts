import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** So many files at a time. Vitest wants a group of its own for another number of workers. */
const sideBySide = (maxWorkers: number) => ({
  fileParallelism: true,
  maxWorkers,
  sequence: { groupOrder: maxWorkers },
});

/** Unit and API tests need no build. */
const resolve = {
  alias: { '@reading-list/formats': fileURLToPath(new URL('formats/src/index.ts', import.meta.url)) },
};

/** Of what is polled for without a limit of its own; one second is short where a processor has other work. */
const patient = { poll: { timeout: 15_000 } };

/** The same API specs, once for each database. */
const api = (name: string, globalSetup: string[] = []) => ({
  resolve,
  test: {
    name: `api-${name}`,
    include: ['test/api/**/*.spec.ts'],
    env: { TEST_DATABASE: name },
    globalSetup: ['test/support/setup-contract.ts', ...globalSetup],
    // The files share nothing but the loaded modules, and loading them takes longer than the tests.
    isolate: false,
    // They wait for more than half of the time.
    ...sideBySide(6),
    expect: patient,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

/**
 * Whole systems with time limits, one file after the other: side by side they would slow each other down. In CI a case may be
 * disturbed by what else its machine does; one that fails three times in a row has a fault.
 */
const wholeSystems = {
  // The files share the loaded modules, as above.
  isolate: false,
  fileParallelism: false,
  retry: process.env.CI ? 2 : 0,
  expect: patient,
  hookTimeout: 120_000,
};

/** The clients against the built service, on one database; what needs no database once, with SQLite. */
const client = (name: string, include: string[], globalSetup: string[] = []) => ({
  test: {
    name,
    include: include.map((path) => `clients/${path}`),
    env: { TEST_DATABASE: name === 'client-mariadb' ? 'mariadb' : 'sqlite' },
    globalSetup: ['test/support/setup-build.ts', ...globalSetup],
    ...wholeSystems,
    ...sideBySide(4),
    testTimeout: 60_000,
  },
});

/** Specs with tight time limits, or with a load of their own: these run one file at a time. */
const ALONE = [
  'test/hostile/{ambiguous-http,heavy-articles,random-hostility}.spec.ts',
  'test/system/{large-collections,overload,slow-clients,starting-instance,waiting}.spec.ts',
];

/** Specs that wait for what is slow or down, within time limits: two of them do not disturb each other. */
const IN_PAIRS = ['test/system/{database-faults,lost-commits,redis,redis-sentinel,shutdown,slow-statements}.spec.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.spec.ts', 'clients/{page-reader,resolver,extension}/test/*.spec.ts'],
          ...sideBySide(2),
          expect: patient,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      api('sqlite'),
      api('mariadb', ['test/support/setup-mariadb.ts']),
      api('mysql', ['test/support/setup-mysql.ts']),
      ...(process.env.TEST_MYSQL_URL ? [api('given', ['test/support/setup-given.ts'])] : []),
      client(
        'client',
        [
          'typescript/test/**/*.spec.ts',
          'page-reader/test/browser/*.spec.ts',
          'resolver/test/service/*.spec.ts',
          'mcp/test/*.spec.ts',
          'extension/test/browser/{extension,position}.spec.ts',
        ],
        ['test/support/setup-tools.ts'],
      ),
      client('client-mariadb', ['typescript/test/service/*.spec.ts'], ['test/support/setup-mariadb.ts']),
      {
        test: {
          name: 'web',
          globalSetup: ['test/support/setup-build.ts'],
          include: ['test/web/**/*.spec.ts', 'clients/extension/test/browser/firefox.spec.ts'],
          ...wholeSystems,
          // Each with a browser and a service keeps more than half a processor busy.
          ...sideBySide(3),
          testTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'system',
          globalSetup: ['test/support/setup-build.ts'],
          include: ALONE,
          ...wholeSystems,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'faults',
          globalSetup: ['test/support/setup-build.ts'],
          include: IN_PAIRS,
          ...wholeSystems,
          ...sideBySide(2),
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'light',
          globalSetup: ['test/support/setup-build.ts', 'test/support/setup-tools.ts'],
          include: ['test/{auth,docs,hostile,operations,system}/**/*.spec.ts'],
          exclude: [...ALONE, ...IN_PAIRS],
          ...wholeSystems,
          // They mostly wait.
          ...sideBySide(3),
          testTimeout: 60_000,
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
