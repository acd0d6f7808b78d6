import { metaOf } from './metadata.js';

const MAX_LENGTH = 2048;
const HOME_PAGE = /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/?|index\.\w+|home\/?)?$/i;

/**
 * The canonical URL that the page gives, if it is one of the same site, and not the site's home page, which careless pages
 * name; otherwise `url`.
 */
export function canonicalUrl(document: Document, url: string): string {
  const canonical = webUrl(document.querySelector('link[rel~="canonical" i]')?.getAttribute('href'), url);
  if (!canonical || !isSameSite(canonical, new URL(url)) || (isHomePage(canonical) && !isHomePage(new URL(url))))
    return url;
  return canonical.href;
}

/** The picture that the page wants to be shown with, by Open Graph; null if there is none. */
export function previewOf(document: Document, url: string): string | null {
  return webUrl(metaOf(document, 'og:image') ?? metaOf(document, 'og:image:url'), url)?.href ?? null;
}

const isHomePage = ({ pathname, search }: URL): boolean => HOME_PAGE.test(pathname) && search === '';

/** Whether one host is the other or below it, apart from the names of variants of a site. */
function isSameSite(one: URL, other: URL): boolean {
  const [shorter, longer] = [siteOf(one), siteOf(other)].sort((a, b) => a.length - b.length) as [string, string];
  return longer === shorter || (shorter.includes('.') && longer.endsWith(`.${shorter}`));
}

const siteOf = ({ host }: URL): string => host.replace(/^(?:www|m|mobile|amp)\./, '');

/** A URL that a browser would open and the service would store. */
function webUrl(given: string | null | undefined, base: string): URL | undefined {
  if (!given?.trim()) return undefined;
  // Without base, `canParse` would refuse relative ones.
  if (!URL.canParse(given, base)) return undefined;
  const url = new URL(given, base);
  return /^https?:$/.test(url.protocol) && url.href.length <= MAX_LENGTH && !url.username ? url : undefined;
}
