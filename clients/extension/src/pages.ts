import type { LocalArticle, ReadingList } from '@reading-list/client';
import { canonicalOf } from '../../../web/src/list/canonical';

/** The URL to save for what a tab shows; undefined if it is not a web page. */
export function pageUrl(text: string | undefined): string | undefined {
  if (text === undefined || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A place within the page, unless an application names its pages like that.
  if (!/^#[/!]/.test(url.hash)) url.hash = '';
  // A password belongs on no list.
  url.username = url.password = '';
  return url.href;
}

/** The article of a page: that with its URL, otherwise one that most likely is the same page. */
export async function articleOf(list: ReadingList, url: string): Promise<LocalArticle | undefined> {
  const exact = await list.get({ url });
  if (exact) return exact;
  const name = canonicalOf(url);
  const isSame = (article: LocalArticle) =>
    canonicalOf(article.url) === name || canonicalOf(article.resolved_url) === name;
  return (await list.list()).find(isSame);
}
