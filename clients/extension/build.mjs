// Builds the extension for both browsers, into `dist` or the folder that is given: chromium/ and firefox/, and a zip of each.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';
import { build } from 'vite';
import { manifestFor } from './manifest.mjs';
import { withoutInnerHtml } from './without-inner-html.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const alias = [
  { find: /^@reading-list\/client$/, replacement: here('../typescript/src/index.ts') },
  { find: /^@reading-list\/client\/indexeddb$/, replacement: here('../typescript/src/storage/indexeddb.ts') },
  { find: /^@reading-list\/page-reader$/, replacement: here('../page-reader/src/index.ts') },
];
const shared = {
  root: here('.'),
  configFile: false,
  logLevel: 'warn',
  base: './',
  resolve: { alias },
  plugins: [withoutInnerHtml()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};
const dist = resolve(process.argv[2] ?? here('dist'));
const compiled = join(dist, 'compiled');

for (const folder of ['compiled', 'chromium', 'firefox']) rmSync(join(dist, folder), { recursive: true, force: true });
await build({
  ...shared,
  build: {
    outDir: compiled,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: {
        background: here('src/background/index.ts'),
        popup: here('popup.html'),
        options: here('options.html'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
});
// What runs in pages is not a module.
for (const name of ['page', 'position'])
  await build({
    ...shared,
    publicDir: false,
    build: {
      outDir: compiled,
      target: 'es2022',
      emptyOutDir: false,
      lib: {
        entry: here(`src/content/${name}.ts`),
        formats: ['iife'],
        name: `readingList_${name}`,
        fileName: () => `${name}.js`,
      },
    },
  });
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
for (const browser of ['chromium', 'firefox']) pack(browser);
rmSync(compiled, { recursive: true });

function pack(browser) {
  const folder = join(dist, browser);
  cpSync(compiled, folder, { recursive: true });
  cpSync(here('../../LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifestFor(browser, version), null, 2)}\n`);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
  // The same input makes the same bytes: no time but the first that a zip can say.
  writeFileSync(
    join(dist, `reading-list-${browser}-${version}.zip`),
    zipSync(files, { level: 9, mtime: '1980-01-01T12:00:00' }),
  );
}
