const features = '^src/(articles|batch|health|root|docs|web-app)/';

/** Which folder may import which; checked by `npm run architecture`. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'protocol-imports-only-itself-and-node',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { pathNot: '^src/protocol/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'config-imports-protocol-only',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/(?!config/|protocol/)' },
    },
    {
      name: 'infrastructure-imports-config-and-protocol',
      severity: 'error',
      from: { path: '^src/(database|redis)/' },
      to: { path: '^src/(?!$1/|config/|protocol/|(semaphore|time-limit)\\.ts$)' },
    },
    {
      name: 'only-the-start-knows-operations',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(operations/|app\\.factory\\.ts$|start\\.ts$)' },
      to: { path: '^src/operations/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'accounts-import-the-database-and-what-it-imports',
      severity: 'error',
      from: { path: '^src/accounts/' },
      to: { path: '^src/(?!accounts/|database/|config/|protocol/)' },
    },
    {
      name: 'purge-knows-no-feature',
      severity: 'error',
      from: { path: '^src/purge/' },
      to: { path: '^src/(?!purge/|accounts/|database/|config/|protocol/)' },
    },
    {
      name: 'http-knows-no-feature',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: ['^src/(auth|rate-limit|accounts)/', features] },
    },
    {
      name: 'rate-limit-knows-nobody-by-name',
      severity: 'error',
      from: { path: '^src/rate-limit/' },
      to: { path: ['^src/(auth|database|accounts)/', features] },
    },
    {
      name: 'auth-knows-no-feature',
      severity: 'error',
      from: { path: '^src/auth/' },
      to: { path: features },
    },
    {
      name: 'features-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/(articles|batch|health|root|web-app|docs)/' },
      to: { path: features, pathNot: '^src/$1/' },
    },
    {
      name: 'formats-need-neither-node-nor-a-browser',
      severity: 'error',
      from: { path: '^formats/src/' },
      to: { path: '^(?!formats/src/|node_modules/)', reachable: true },
    },
    {
      name: 'formats-are-imported-by-name',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^formats/src/' },
    },
    {
      name: 'typeorm-stays-with-those-who-hold-sql',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(database|accounts|commands)/|\\.store\\.ts$' },
      to: { path: 'node_modules/typeorm' },
    },
    {
      name: 'nobody-imports-an-entry-point',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/migrate\\.ts$' },
      to: { path: '^src/(main|migrate|commands/cli)\\.ts$' },
    },
    {
      name: 'the-service-needs-no-development-dependency',
      severity: 'error',
      from: { path: '^src/' },
      // A terminal without pino-pretty shows JSON lines.
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/pino-pretty' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
