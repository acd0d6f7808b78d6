// Brings dist/, formats/dist/, clients/*/dist/ and web/dist/ up to date if the compilers are installed, with `dev` also what
// `npm run dev` runs, and reports that on stderr; an image without compilers contains everything.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const COMPILER = 'node_modules/typescript-native/bin/tsc';
const VITE = 'node_modules/vite/bin/vite.js';
const SOURCES = [
  'src',
  'ormconfig.ts',
  'openapi.yaml',
  'scripts/bundle.mjs',
  'clients/page-reader/src',
  'clients/resolver/src',
  'clients/typescript/src',
  'formats/src',
  'tsconfig.json',
  'package-lock.json',
];
const WEB_SOURCES = ['web', 'clients/typescript/src', 'formats/src', 'package-lock.json'];

if (existsSync(COMPILER) && existsSync('tsconfig.build.json')) {
  compile('the service', SOURCES, 'dist/bundle/start.cjs', () => {
    run(COMPILER, '--build', 'tsconfig.build.json');
    // The resolver needs the other two, and the compiler works on several projects at a time.
    for (const client of ['typescript', 'page-reader', 'resolver'])
      run(COMPILER, '--build', `clients/${client}/tsconfig.build.json`);
    run('scripts/write-openapi.mjs');
    run('scripts/bundle.mjs');
  });
  if (process.argv[2] === 'dev')
    compile(
      'what runs on a developer’s machine',
      [...SOURCES, 'dev', 'test/support/servers'],
      'dist/development/dev/dev.js',
      () => run(COMPILER, '-p', 'tsconfig.dev.json'),
    );
} else if (!existsSync('dist/src/main.js')) {
  console.error('dist/ is missing: run npm ci (with development dependencies) and npm run build first');
  process.exit(1);
}
if (existsSync(VITE) && existsSync('web/vite.config.ts'))
  compile('the web application', WEB_SOURCES, 'web/dist/index.html', () =>
    run(VITE, 'build', 'web', '--config', 'web/vite.config.ts', '--logLevel', 'warn'),
  );

/** Runs the steps if a source is newer than the last file that they write. */
function compile(name, sources, result, steps) {
  const built = existsSync(result) ? statSync(result).mtimeMs : 0;
  if (sources.every((source) => newest(source) <= built)) return;
  const start = Date.now();
  console.error(`compiling ${name} …`);
  steps();
  // An incremental compiler may leave an unchanged result alone.
  utimesSync(result, new Date(), new Date());
  console.error(`compiled ${name} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

function run(...command) {
  // Tests run this with another NODE_ENV, but have to test the production build.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
  return Math.max(0, ...names.map((name) => newest(join(path, name))));
}
