import { type ReadingList, ReadingListError } from '@reading-list/client';
import type { PageFacts } from '@reading-list/page-reader';
import type { Saved } from '../messages';
import { articleOf, pageUrl } from '../pages';
import { t } from '../texts';

/** A page that takes longer to read is saved without what is in it. */
const READ_TIMEOUT_MS = 5_000;
const MAX_TITLE = 1024;

/** Saves what a tab shows, unless it is on the list. Has resolved before the network is asked. */
export async function savePage(list: ReadingList, tab: chrome.tabs.Tab): Promise<Saved> {
  const url = pageUrl(tab.url);
  if (url === undefined) return { problem: t('cannotSave') };
  const known = await articleOf(list, url);
  if (known) return { key: known.key, isNew: false };
  const facts = await readTab(tab.id!, url);
  const title = facts?.title ?? cut(tab.title);
  const { key } = await list.add({ url, ...facts, title }).catch((error: unknown) => {
    // A page may say things of itself that the service does not accept.
    if (!(error instanceof ReadingListError)) throw error;
    return list.add({ url, title: cut(tab.title) });
  });
  return { key, isNew: true };
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

/** What the page says of itself; undefined where the browser lets nobody look, as in its own pages. */
async function readTab(tabId: number, url: string): Promise<PageFacts | undefined> {
  const reading = async () => {
    const target = { tabId };
    await chrome.scripting.executeScript({ target, files: ['page.js'], injectImmediately: true });
    const [frame] = await chrome.scripting.executeScript({
      target,
      injectImmediately: true,
      func: (address: string) => globalThis.readingListPage?.(address),
      args: [url],
    });
    return frame?.result ?? undefined;
  };
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, READ_TIMEOUT_MS, undefined));
  return Promise.race([reading().catch(() => undefined), timeout]);
}

const cut = (title: string | undefined): string | null =>
  title?.trim() ? [...title.trim()].slice(0, MAX_TITLE).join('') : null;
