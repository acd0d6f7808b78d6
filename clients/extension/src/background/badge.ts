import type { ReadingList } from '@reading-list/client';
import { titleOf } from '../../../../web/src/list/article-facts';
import { articleOf, pageUrl } from '../pages';
import { t } from '../texts';
import { currentList } from './open-list';

const COLOR = '#8a2f1d';
const FLASH_MS = 2_000;
const flashing = new Set<number>();

/** Shows on the button whether the page of a tab is on the list, where the browser tells which page that is. */
export async function showWhetherListed(tabId: number): Promise<void> {
  const tab = await chrome.tabs.get(tabId).catch(() => undefined);
  const url = pageUrl(tab?.url);
  const list = url === undefined ? undefined : await currentList();
  const article = list && (await articleOf(list, url!));
  // Checked only here, as a flash may have begun meanwhile.
  if (flashing.has(tabId)) return;
  await mark(tabId, article ? '✓' : '', article ? t('badgeOn', titleOf(article)) : '');
}

/** The same for the tabs in sight, as the list has changed. */
export async function showInAllWindows(): Promise<void> {
  const tabs = await chrome.tabs.query({ active: true });
  await Promise.all(tabs.flatMap(({ id }) => (id === undefined ? [] : [showWhetherListed(id)])));
}

/** Shows for a moment the outcome of something that has no popup to show it. */
export async function flash(tabId: number, text: '✓' | '!', title: string): Promise<void> {
  flashing.add(tabId);
  await mark(tabId, text, title);
  await new Promise((resolve) => setTimeout(resolve, FLASH_MS));
  flashing.delete(tabId);
  await showWhetherListed(tabId);
}

/** Shows on all tabs whether the user has to sign in again. */
export async function showStatus(status: ReadingList['status']): Promise<void> {
  const isSignedOut = status === 'signed-out';
  await chrome.action.setBadgeBackgroundColor({ color: COLOR });
  await chrome.action.setBadgeText({ text: isSignedOut ? '!' : '' });
  await chrome.action.setTitle({ title: isSignedOut ? t('badgeSignedOut') : t('name') });
}

async function mark(tabId: number, text: string, title: string): Promise<void> {
  try {
    await chrome.action.setBadgeBackgroundColor({ color: COLOR });
    // Null leaves the tab with what is shown on all of them.
    await chrome.action.setBadgeText({ tabId, text: text || (null as unknown as string) });
    await chrome.action.setTitle({ tabId, title: title || (await chrome.action.getTitle({})) });
  } catch {
    // The tab was closed meanwhile.
  }
}
