import type { Plugin } from 'vite';

/**
 * Leaves out Vite's helper that loads the styles and imports of a chunk together with it: the only chunk that is loaded on demand
 * has neither.
 */
export function noPreload(): Plugin {
  return {
    name: 'no-preload',
    load: { filter: { id: /vite\/preload-helper/ }, handler: () => 'export const __vitePreload = (load) => load();' },
  };
}
