import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const client = (path: string) => fileURLToPath(new URL(`../typescript/src/${path}`, import.meta.url));

/** One file that needs nothing but Node, so that a program can be told to run it. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: {
      '@reading-list/client/memory': client('storage/memory.ts'),
      '@reading-list/client': client('index.ts'),
    },
  },
  ssr: { noExternal: true },
  build: { ssr: 'src/cli.ts', target: 'node20', outDir: 'dist' },
});
