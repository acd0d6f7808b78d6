// Bundles the service and the commands with their packages into dist/bundle, which a process reads in half the time it takes for
// 1,300 files.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { build } from 'rolldown';

const BUNDLE = 'dist/bundle';

const text = (path) => readFileSync(path, 'utf8');
const isOurs = (path) => path.startsWith(`${resolve('dist/src')}/`);

/** Our code, with the compiler's source maps: stack traces name lines of src. */
const ourCode = {
  name: 'our-code',
  load: (path) => (isOurs(path) ? { code: text(path), map: JSON.parse(text(`${path}.map`)) } : undefined),
};

const packages = {
  name: 'packages',
  transform(code, path) {
    if (isOurs(path)) return undefined;
    // A map that only names the file: reading all of them would take a tenth of a second.
    const map = { version: 3, sources: [path], sourcesContent: [''], names: [], mappings: 'AAAA' };
    // It asks Node itself for TypeORM, which would be loaded a second time.
    const asksNode = path.includes('@nestjs/typeorm/');
    return { code: asksNode ? code.replace(/^const require = createRequire.*$/m, '') : code, map };
  },
};

const { output } = await build({
  input: { start: 'dist/src/start.js', commands: 'dist/src/commands/command-line.js' },
  platform: 'node',
  external: [
    // Has a binding, which it looks for beside itself.
    'better-sqlite3',
    // Adds to a global object before anything else runs.
    'reflect-metadata',
    // Nest asks for them, and does without.
    /^@nestjs\/(microservices|websockets)/,
    'class-transformer/storage',
    // To trace packages it has to see them loaded: main.js does not use the bundle then.
    /operations\/open-telemetry\.js$/,
  ],
  // The build of RxJS with classes: Node would take that for ES5, with which polls take some 3 % longer.
  resolve: {
    alias: {
      rxjs$: resolve('node_modules/rxjs/dist/esm/index.js'),
      'rxjs/operators$': resolve('node_modules/rxjs/dist/esm/operators/index.js'),
    },
  },
  plugins: [ourCode, packages],
  // This and `minify` leave out calls whose result nobody uses, even those that are there to throw.
  treeshake: false,
  output: {
    dir: `${BUNDLE}.new`,
    cleanDir: true,
    // Node reads CommonJS in less time than modules.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    sourcemap: true,
    keepNames: true,
    // A quarter less to parse; names stay, for errors.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    // So that parts of two builds never fit together, if a running service loads one later.
    minifyInternalExports: false,
  },
});
// For whoever wants to know what is in there: the files do not say.
const contents = output.flatMap(({ fileName, moduleIds }) =>
  moduleIds ? [[fileName, moduleIds.map((id) => relative('.', id))]] : [],
);
writeFileSync(`${BUNDLE}.new/contents.json`, JSON.stringify(Object.fromEntries(contents), undefined, 1));
// Whole or not at all.
rmSync(BUNDLE, { recursive: true, force: true });
renameSync(`${BUNDLE}.new`, BUNDLE);
