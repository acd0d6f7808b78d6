/**
 * What libraries do with `innerHTML`, and what the extension does in its place. Mozilla's reviewers ask about each assignment of
 * it, because markup of strangers may become part of a page there; without any, there is nothing to ask, and `web-ext lint` is clean.
 */
const REPLACEMENTS = {
  // `dangerouslySetInnerHTML`, which the extension does not use, would show its markup as text.
  'preact/dist/preact.mjs': [[/(\w+)\.innerHTML=(\w+\.__html)/, '$1.textContent=$2']],
  '@mozilla/readability/Readability.js': [
    // The page as it was before an attempt to find its text failed.
    [/var pageCacheHtml = page\.innerHTML;/, 'var pageBefore = page.cloneNode(true);'],
    [/page\.innerHTML = pageCacheHtml;/, 'page.replaceChildren(...pageBefore.cloneNode(true).childNodes);'],
    // The picture for browsers without scripts.
    [/tmp\.innerHTML = noscript\.innerHTML;/, 'tmp.append(...noscript.cloneNode(true).childNodes);'],
  ],
};

/** A plugin for Rolldown and Vite. The build fails if a library has changed, or another one assigns `innerHTML`. */
export function withoutInnerHtml() {
  return {
    name: 'without-inner-html',
    transform(code, id) {
      const library = Object.keys(REPLACEMENTS).find((path) => id.replaceAll('\\', '/').endsWith(`/${path}`));
      for (const [pattern, replacement] of REPLACEMENTS[library] ?? []) {
        if (!pattern.test(code)) this.error(`${library} has no ${pattern}`);
        code = code.replace(pattern, replacement);
      }
      return library && { code, map: null };
    },
    generateBundle(_options, bundle) {
      for (const { fileName, code = '' } of Object.values(bundle))
        if (/\.innerHTML\s*=[^=]/.test(code)) this.error(`${fileName} assigns innerHTML`);
    },
  };
}
