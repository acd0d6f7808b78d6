import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { noPreload } from './build/no-preload.ts';
import { serviceWorker } from './build/service-worker.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Static files with relative addresses, so that they work below any path; everything but the entrances has a hash in its name. */
export default defineConfig({
  root: source('.'),
  base: './',
  plugins: [noPreload(), serviceWorker()],
  resolve: {
    alias: [
      { find: /^@reading-list\/client$/, replacement: source('../clients/typescript/src/index.ts') },
      {
        find: /^@reading-list\/client\/indexeddb$/,
        replacement: source('../clients/typescript/src/storage/indexeddb.ts'),
      },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // From these on, browsers know `:dir()`, for which there is no substitute.
    cssTarget: ['chrome120', 'edge120', 'firefox115', 'safari16.4'],
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: source('index.html'),
        sw: source('src/sw.ts'),
      },
      output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
  },
});
