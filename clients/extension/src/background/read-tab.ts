import type { PageFacts } from '@reading-list/page-reader';
import { pageUrl } from '../pages';

/** A page that takes longer to read is saved without what is in it. */
const TIMEOUT_MS = 5_000;

/** The facts of the page; undefined where the browser denies access, as in its own pages, and if the tab has moved on. */
export async function readTab(tabId: number, url: string): Promise<PageFacts | undefined> {
  const reading = async () => {
    const target = { tabId };
    await chrome.scripting.executeScript({ target, files: ['page.js'], injectImmediately: true });
    const [frame] = await chrome.scripting.executeScript({
      target,
      injectImmediately: true,
      func: (address: string) => globalThis.readingListPage?.(address),
      args: [url],
    });
    const isStillThere = pageUrl((await chrome.tabs.get(tabId)).url) === url;
    return (isStillThere && frame?.result) || undefined;
  };
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT_MS, undefined));
  return Promise.race([reading().catch(() => undefined), timeout]);
}
