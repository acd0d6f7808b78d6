/** The service worker's script, next to the page. */
export const WORKER = 'sw.js';

/** The only text that may become more on the pages (policy `trusted-types reading-list`): the name of the service worker. */
const rules = {
  createScriptURL: (url: string) => (url === WORKER ? url : ''),
};

interface Window {
  trustedTypes?: { createPolicy(name: string, policy: typeof rules): typeof rules };
}

/** The same rules where the browser does not know trusted types. */
export const trusted = (window as Window).trustedTypes?.createPolicy('reading-list', rules) ?? rules;
