import type { ReadingList } from '@reading-list/client';
import { keepLost } from '../lost';
import { POPUP, type Request, type Saved } from '../messages';
import { readPreferences } from '../preferences';
import { onSession } from '../session';
import { t } from '../texts';
import { flash, showInAllWindows, showWhetherListed } from './badge';
import { completeArticle } from './complete';
import { currentList, followSession, onOpened } from './open-list';
import { followPosition, notePosition } from './position';
import { saveLink, savePage } from './save';
import { sync, syncIfDue } from './sync';

const SAVE_LINK = 'save-link';

// An event starts a script again that the browser has ended, so all listeners have to be there by the end of this file.
chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({
    id: SAVE_LINK,
    title: t('saveLink'),
    contexts: ['link'],
    targetUrlPatterns: ['http://*/*', 'https://*/*'],
  });
  void syncIfDue();
});
chrome.runtime.onStartup.addListener(() => void sync());
chrome.contextMenus.onClicked.addListener((info, tab) => {
  const title = (info as { linkText?: string }).linkText ?? info.selectionText;
  void saveUnseen(tab, (list) => saveLink(list, info.linkUrl ?? '', title));
});
chrome.commands.onCommand.addListener((_command, tab) => {
  if (tab) void saveUnseen(tab, (list) => saveOrComplete(list, tab));
});
chrome.runtime.onMessage.addListener((request: Request, sender, respond: (saved: Saved) => void) => {
  if (request.do === 'position') {
    void notePosition(request.url, request.words);
    return false;
  }
  saveTab(request.tabId).then(respond, (error: Error) => respond({ problem: error.message }));
  return true;
});
chrome.runtime.onConnect.addListener((port) => {
  if (port.name === POPUP) port.onDisconnect.addListener(() => void sync());
});
chrome.tabs.onActivated.addListener(({ tabId }) => void lookAt(tabId));
chrome.tabs.onUpdated.addListener((tabId, { status, url }) => {
  if (url !== undefined || status === 'complete') void lookAt(tabId);
  if (status === 'complete') void readOn(tabId).catch(() => undefined);
});
addEventListener('online', () => void sync());
followSession();
onSession(() => void sync().then(showInAllWindows));
onOpened((list) => list.on('change', () => void showInAllWindows()));
onOpened(keepLost);

async function lookAt(tabId: number): Promise<void> {
  await showWhetherListed(tabId);
  await syncIfDue();
}

/** What the extension does in a page of the list without a click: only where the user has switched it on. */
async function readOn(tabId: number): Promise<void> {
  if (!(await readPreferences()).remembersPositions) return;
  const list = await currentList();
  if (!list) return;
  await followPosition(tabId);
  await completeArticle(list, await chrome.tabs.get(tabId), { onlyText: true });
}

/** Saves what a tab shows, or completes what was saved as a bare link. */
async function saveOrComplete(list: ReadingList, tab: chrome.tabs.Tab): Promise<Saved> {
  const saved = await savePage(list, tab);
  void completeArticle(list, tab).catch(() => undefined);
  return saved;
}

async function saveTab(tabId: number): Promise<Saved> {
  const list = await currentList();
  if (!list) return { problem: t('setUp') };
  const saved = await saveOrComplete(list, await chrome.tabs.get(tabId));
  void sync();
  void followPosition(tabId).catch(() => undefined);
  return saved;
}

/** Saves without a popup: the button shows the outcome. */
async function saveUnseen(
  tab: chrome.tabs.Tab | undefined,
  save: (list: ReadingList) => Promise<Saved>,
): Promise<void> {
  const list = await currentList();
  if (!list) return chrome.runtime.openOptionsPage();
  const saved = await save(list).catch((error: Error) => ({ problem: error.message }));
  void sync();
  if (tab?.id === undefined) return;
  void followPosition(tab.id).catch(() => undefined);
  if ('problem' in saved) await flash(tab.id, '!', t('badgeFailed', saved.problem));
  else await flash(tab.id, '✓', t(saved.isNew ? 'saved' : 'alreadyThere'));
}
