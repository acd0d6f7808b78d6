import { randomUUID } from 'node:crypto';
import { type Article, newArticle } from '../../articles/article.js';
import { ApiError } from '../../protocol/api-error.js';
import { CommandError, type DatabaseContext, EXIT } from '../command.js';
import { type UserOptions, userOf } from '../user-options.js';
import { AccountImport, type ImportOptions, noneYet, overQuotaLine } from './account-import.js';
import { type Bookmark, bodyOf } from './files/bookmark.js';
import { ImportFileError } from './files/import-file-error.js';

/**
 * Imports another service's bookmarks for the user that the options name, oldest first. Reads all before storing any.
 * Resolves with the exit code.
 */
export async function importBookmarks(
  context: DatabaseContext,
  { addedBy, dryRun = false }: ImportOptions,
  user: UserOptions,
  bookmarks: AsyncIterable<Bookmark>,
): Promise<number> {
  const account = await userOf(context, user);
  const { articles, skipped, leftOut } = await readAll(context, addedBy, bookmarks);
  const counts = noneYet();
  const into = AccountImport.adding(context, dryRun, account, counts);
  for (const article of articles) {
    await into.add(article);
    context.progress(`${counts.stored + counts.known + counts.overQuota} of ${articles.length} so far`);
  }
  await into.finish();
  const [done, were] = dryRun ? ['would import', 'are'] : ['imported', 'were'];
  await context.print(`${done} ${counts.stored} articles, ${counts.known} ${were} there, ${skipped} cannot be`);
  if (counts.overQuota > 0) await context.print(overQuotaLine(counts, context.settings));
  if (leftOut.size > 0) await context.print(`left out, as an article has no place for it: ${listed(leftOut)}`);
  return skipped + counts.overQuota > 0 ? EXIT.attention : EXIT.ok;
}

const listed = (leftOut: Map<string, number>): string =>
  [...leftOut].map(([what, count]) => `${what} of ${count} ${count === 1 ? 'entry' : 'entries'}`).join(', ');

/** Converts the bookmarks to articles, oldest first; prints those that cannot be converted. */
async function readAll(context: DatabaseContext, addedBy: string, bookmarks: AsyncIterable<Bookmark>) {
  const articles: Article[] = [];
  const leftOut = new Map<string, number>();
  let skipped = 0;
  try {
    for await (const bookmark of bookmarks) {
      const article = articleOf(bookmark, addedBy, context);
      if (typeof article === 'string') {
        skipped++;
        await context.print(`line ${bookmark.line}: ${article}`);
        continue;
      }
      articles.push(article);
      for (const what of bookmark.leftOut) leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
    }
  } catch (error) {
    throw error instanceof ImportFileError ? new CommandError(`${error.message}; nothing was imported`) : error;
  }
  return { articles: articles.sort((a, b) => a.added_on - b.added_on), skipped, leftOut };
}

/** Converts a bookmark to an article, or tells why that is impossible. */
function articleOf(bookmark: Bookmark, addedBy: string, { clock, settings }: DatabaseContext): Article | string {
  const { maxBodyBytes } = settings;
  if (Buffer.byteLength(bookmark.excerpt ?? '') > maxBodyBytes)
    return `excerpt: longer than MAX_BODY_BYTES (${maxBodyBytes})`;
  const now = clock();
  try {
    const body = bodyOf(bookmark, addedBy);
    return { ...newArticle(body, randomUUID(), now), last_modified: now };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}
