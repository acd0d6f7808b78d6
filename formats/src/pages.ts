const KINDS: readonly [kind: NoPage, schemes: RegExp][] = [
  [
    'browser',
    /^(?:about|brave|browser|chrome|chrome-extension|chrome-native|chrome-search|devtools|edge|extension|moz-extension|opera|resource|safari-web-extension|view-source|vivaldi):/i,
  ],
  ['search', /^place:/i],
  ['script', /^(?:javascript|vbscript):/i],
  ['file', /^file:/i],
  ['contents', /^(?:data|blob):/i],
  ['contact', /^(?:mailto|tel|sms|xmpp):/i],
];

/** Why a bookmark is not one of a page. */
export type NoPage = 'none' | 'browser' | 'search' | 'script' | 'file' | 'contents' | 'contact';

export const NO_PAGE: Readonly<Record<NoPage, string>> = {
  none: 'no URL',
  browser: 'a page of the browser itself',
  search: 'a search in the browser’s own bookmarks and history',
  script: 'a script (bookmarklet), not a page',
  file: 'a file on one computer',
  contents: 'contents without an address',
  contact: 'the address of a person, not of a page',
};

/** What an address is if it is not one of a page; the service judges all others. */
export function noPage(url: string): NoPage | undefined {
  if (url.trim() === '') return 'none';
  return KINDS.find(([, schemes]) => schemes.test(url.trim()))?.[0];
}
