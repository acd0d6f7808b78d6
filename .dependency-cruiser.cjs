/** The words of the documentation, `docs/vocabulary`, are for all features. */
const features = '^src/(articles|batch|health|root|docs)/(?!vocabulary/)';

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
      from: { path: '^src/(database|logging)/' },
      to: { path: '^src/(?!database/|logging/|config/|protocol/)' },
    },
    {
      name: 'http-knows-no-feature',
      severity: 'error',
      from: { path: '^src/(http|auth)/' },
      to: { path: ['^src/database/', features] },
    },
    {
      name: 'features-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/(articles|batch|health|root)/' },
      to: { path: features, pathNot: '^src/$1/' },
    },
    {
      name: 'vocabulary-imports-protocol-only',
      severity: 'error',
      from: { path: '^src/docs/vocabulary/' },
      to: { path: '^src/(?!docs/vocabulary/|protocol/)' },
    },
    {
      name: 'typeorm-stays-in-the-database-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: 'node_modules/typeorm' },
    },
    {
      name: 'nobody-imports-an-entry-point',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/(main|migrate|commands/cli)\\.ts$' },
    },
    {
      name: 'the-service-needs-no-development-dependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
