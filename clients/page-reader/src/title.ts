import { metaOf, oneLine } from './metadata.js';

const MAX_LENGTH = 1024;
const SEPARATORS = String.raw`[\s|｜:：/_·•»«\-–—]`;
const SEPARATORS_AT_END = new RegExp(`${SEPARATORS}+$`);
const SEPARATORS_AT_START = new RegExp(`^${SEPARATORS}+`);

/** The title of a page without the name of its site; if it has none, its heading, the file's name or the host. */
export function titleOf(document: Document, url: string): string {
  const site = metaOf(document, 'og:site_name') ?? metaOf(document, 'application-name');
  const shared = [metaOf(document, 'og:title'), metaOf(document, 'twitter:title')];
  const own = oneLine(document.title);
  const heading = onlyHeading(document);
  const candidates = [...shared, withoutRest(own, heading), heading].map((title) => cut(title ?? ''));
  // Some sites give the name of the site as the title of all their pages.
  const titles = candidates.filter((title) => title && title !== site);
  return withoutSite(titles[0] ?? '', site) || cut(own) || nameOf(url);
}

/** The last segment of the path, as a title for what has no other, or the host. */
export function nameOf(url: string): string {
  const { pathname, host } = new URL(url);
  return cut(oneLine(decoded(pathname.split('/').findLast(Boolean) ?? ''))) || host;
}

/** The first-level heading, if there is just one. */
function onlyHeading(document: Document): string {
  const headings = document.querySelectorAll('h1');
  return headings.length === 1 ? oneLine(headings[0]!.textContent) : '';
}

/** The heading, if the title is the heading and something else. */
function withoutRest(title: string, heading: string): string {
  if (!heading || title.length <= heading.length) return title;
  const [before, after] = [title.slice(0, -heading.length), title.slice(heading.length)];
  const isAtStart = title.startsWith(heading) && SEPARATORS_AT_START.test(after);
  const isAtEnd = title.endsWith(heading) && SEPARATORS_AT_END.test(before);
  return isAtStart || isAtEnd ? heading : title;
}

function withoutSite(title: string, site: string | undefined): string {
  if (!site) return title;
  const [before, after] = [title.slice(0, -site.length), title.slice(site.length)];
  if (title.endsWith(site) && SEPARATORS_AT_END.test(before)) return before.replace(SEPARATORS_AT_END, '');
  if (title.startsWith(site) && SEPARATORS_AT_START.test(after)) return after.replace(SEPARATORS_AT_START, '');
  return title;
}

/** The title, cut to the length that the service takes. */
export const cut = (title: string): string => [...title.slice(0, 2 * MAX_LENGTH)].slice(0, MAX_LENGTH).join('');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
