import { articleOf, pageUrl } from '../pages';
import { readPreferences } from '../preferences';
import { currentList } from './open-list';
import { sync } from './sync';

const SEND_AFTER_MS = 3_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Scrolls a page of the list to where reading stopped, and follows how far it is read, if the user has switched that on. */
export async function followPosition(tabId: number): Promise<void> {
  if (!(await readPreferences()).remembersPositions) return;
  const list = await currentList();
  const url = pageUrl((await chrome.tabs.get(tabId)).url);
  const article = list && url !== undefined ? await articleOf(list, url) : undefined;
  if (!article || url === undefined) return;
  await chrome.scripting.executeScript({ target: { tabId }, files: ['position.js'] });
  await chrome.scripting.executeScript({
    target: { tabId },
    func: (address: string, position: number) => globalThis.readingListPosition?.(address, position),
    args: [url, article.read_position],
  });
}

/** Notes how far a page was read, and sends it when the reader rests. */
export async function notePosition(url: string, words: number): Promise<void> {
  const list = await currentList();
  const article = list && (await articleOf(list, url));
  if (!list || !article) return;
  const position = Math.min(words, article.word_count ?? words);
  if (position <= article.read_position) return;
  await list.setReadPosition(article.key, position);
  clearTimeout(timer);
  timer = setTimeout(() => void sync(), SEND_AFTER_MS);
}
