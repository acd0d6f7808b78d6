import type { Article } from '../../articles/article.js';
import type { CommandContext } from '../command.js';
import { userOf } from '../user-options.js';
import { AccountImport } from './account-import.js';
import { articleOf, type Bookmark } from './bookmark.js';
import { refusalOf } from './own-lines.js';

/** Imports another service's bookmarks for the user that the options name, those added first as the oldest changes. */
export async function importBookmarks(context: CommandContext, bookmarks: Bookmark[]): Promise<{ skipped: number }> {
  const { database, clock, options, print, progress } = context;
  const account = await userOf(context);
  const articles = await toArticles(context, bookmarks);
  const skipped = bookmarks.length - articles.length;
  if (options['dry-run']) {
    await print(`would import ${articles.length} articles, ${skipped} can not be`);
    return { skipped };
  }
  const counts = { stored: 0, known: 0 };
  const into = AccountImport.adding(database, clock, account, counts);
  for (const article of articles) {
    await into.add(article);
    progress(`${counts.stored + counts.known} of ${articles.length} so far`);
  }
  await into.finish();
  await print(`imported ${counts.stored} articles, ${counts.known} were there, ${skipped} can not be`);
  return { skipped };
}

async function toArticles({ clock, options, print }: CommandContext, bookmarks: Bookmark[]): Promise<Article[]> {
  const articles: Article[] = [];
  for (const [at, bookmark] of bookmarks.entries()) {
    try {
      articles.push(articleOf(bookmark, (options['added-by'] as string | undefined) ?? 'import', clock()));
    } catch (error) {
      await print(`entry ${at + 1}: ${refusalOf(error)}`);
    }
  }
  return articles.sort((a, b) => a.added_on - b.added_on);
}
