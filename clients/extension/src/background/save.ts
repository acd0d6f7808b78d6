import { type LocalArticle, MAX_LENGTHS, type ReadingList, ReadingListError } from '@reading-list/client';
import type { PageFacts } from '@reading-list/page-reader';
import type { Saved } from '../messages';
import { articleOf, pageUrl } from '../pages';
import { t } from '../texts';
import { readTab } from './read-tab';

/** Saves what a tab shows, unless it is on the list. Does not wait for the network. */
export async function savePage(list: ReadingList, tab: chrome.tabs.Tab): Promise<Saved> {
  const url = pageUrl(tab.url);
  if (url === undefined) return { problem: t('cannotSave') };
  const known = await articleOf(list, url);
  if (known) return { key: known.key, isNew: false };
  const found = await readTab(tab.id!, url);
  const facts = found && (await withOwnUrl(list, url, found));
  const title = facts?.title ?? cut(tab.title);
  const { key } = await list.add({ url, ...facts, title }).catch((error: unknown) => {
    // A page may say things of itself that the service does not accept.
    if (!(error instanceof ReadingListError)) throw error;
    return list.add({ url, title: cut(tab.title) });
  });
  return { key, isNew: true };
}

/**
 * With the page's own URL in place of one that another article, at yet another address, has as well: some sites name one for
 * all of their pages, and the service would take this page for that one.
 */
async function withOwnUrl(list: ReadingList, url: string, facts: PageFacts): Promise<PageFacts> {
  const isTaken = (other: LocalArticle) =>
    other.resolved_url === facts.resolved_url && other.url !== other.resolved_url;
  return (await list.list()).some(isTaken) ? { ...facts, resolved_url: url } : facts;
}

/** Saves a page that nobody has opened, so that nothing is known of it but its URL. */
export async function saveLink(list: ReadingList, link: string, title: string | undefined): Promise<Saved> {
  const url = pageUrl(link);
  if (url === undefined) return { problem: t('cannotSave') };
  const known = await articleOf(list, url);
  if (known) return { key: known.key, isNew: false };
  const { key } = await list.add({ url, title: cut(title) });
  return { key, isNew: true };
}

const cut = (title: string | undefined): string | null =>
  title?.trim() ? [...title.trim()].slice(0, MAX_LENGTHS.title).join('') : null;
