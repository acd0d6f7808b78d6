import { type Article, type ArticlePatch, type ReadingList, ReadingListError } from '@reading-list/client';
import { isBare, missingFields } from '@reading-list/page-reader';
import { articleOf, pageUrl } from '../pages';
import { clientOf, readSession } from '../session';
import { readTab } from './read-tab';

/**
 * Completes an article that was saved as a bare link, now that its page is open and may be read. Like a resolver, it does so
 * only if nothing has changed since, so that it never overwrites what a person or another device has set. If it comes too
 * late, or the service is away, the user need not know.
 * @param onlyText ignores a page without text, which may not have loaded it yet
 */
export async function completeArticle(
  list: ReadingList,
  tab: chrome.tabs.Tab,
  { onlyText = false } = {},
): Promise<void> {
  const url = pageUrl(tab.url);
  const saved = url === undefined ? undefined : await articleOf(list, url);
  if (url === undefined || !saved || !isBare(saved)) return;
  const facts = await readTab(tab.id!, url);
  if (!facts || (onlyText && !facts.is_article)) return;
  // It may have been saved a moment ago, or completed by another device.
  await list.sync();
  const article = await list.get({ key: saved.key });
  if (!article?.id || !isBare(article)) return;
  await patch(article as Article, missingFields(article, facts));
  await list.sync();
}

async function patch({ id, last_modified }: Article, fields: ArticlePatch): Promise<void> {
  const session = await readSession();
  if (!session) return;
  const client = clientOf(session);
  const condition = { ifUnmodifiedSince: last_modified };
  await client.patch(id, fields, condition).catch((error: unknown) => {
    if (!(error instanceof ReadingListError) || error.status !== 409) throw error;
    // Another article has this URL.
    const { resolved_url: _taken, ...others } = fields;
    return client.patch(id, others, condition);
  });
}
