import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const publicFolder = fileURLToPath(new URL('../public/', import.meta.url));

/**
 * Tells the service worker which files the build made and gives them a version: any change of a file makes another worker, which is how
 * browsers notice an update.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = bundle['sw.js'];
      if (worker?.type !== 'chunk') throw new Error('The build made no service worker');
      const files = Object.values(bundle).filter(({ fileName }) => fileName !== 'sw.js');
      const version = createHash('sha256');
      for (const file of files) version.update(file.fileName).update(file.type === 'chunk' ? file.code : file.source);
      const statics = readdirSync(publicFolder);
      for (const name of statics) version.update(name).update(readFileSync(publicFolder + name));
      const names = [...files.map(({ fileName }) => fileName).filter((name) => name !== 'index.html'), ...statics];
      worker.code = worker.code
        .replace(/["'`]__FILES__["'`]/, JSON.stringify(['./', ...names]))
        .replace('__VERSION__', version.digest('base64url').slice(0, 12));
    },
  };
}
