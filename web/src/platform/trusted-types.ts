/** The service worker's script, next to the page. */
export const WORKER = 'sw.js';

/** What may become more than text on the pages (their policy, `trusted-types reading-list`): the service worker's name alone. */
const rules = {
  createScriptURL: (url: string) => (url === WORKER ? url : ''),
};

interface Window {
  trustedTypes?: { createPolicy(name: string, policy: typeof rules): typeof rules };
}

/** The same rules where the browser does not know trusted types. */
export const trusted = (window as Window).trustedTypes?.createPolicy('reading-list', rules) ?? rules;
