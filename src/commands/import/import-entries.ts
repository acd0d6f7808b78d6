import { randomUUID } from 'node:crypto';
import { type Contents, type Entry, nameOfPlace, NO_PAGE, noPage } from '@reading-list/formats';
import { type Article, newArticle } from '../../articles/article.js';
import { ApiError } from '../../protocol/api-error.js';
import { CommandError, type DatabaseContext, EXIT } from '../command.js';
import { type UserOptions, userOf, whoseOf } from '../user-options.js';
import { AccountImport, type ImportOptions, noneYet, overQuotaLine } from './account-import.js';

/** So much of a URL is shown where it is refused. */
const MAX_SHOWN = 200;

/**
 * Imports another service's entries for the user that the options name, oldest first. Stores none if the file cannot be read to its
 * end. Resolves with the exit code.
 */
export async function importEntries(
  context: DatabaseContext,
  { addedBy, dryRun = false }: ImportOptions,
  user: UserOptions,
  { entries, stoppedAt, others, unreadable }: Contents,
): Promise<number> {
  if (stoppedAt) throw new CommandError(`${stoppedAt.message}; nothing was imported`);
  const account = await userOf(context, user);
  context.audit(`user import${dryRun ? ' --dry-run' : ''}`, whoseOf(user), account);
  const { articles, skipped, lost } = await convert(context, addedBy, entries);
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
  for (const file of unreadable) await context.print(`${shown(file)}: not an export that can be read`);
  if (others.length > 0) await context.print(`not read in the archive: ${others.length} other files`);
  if (lost !== '') await context.print(lost);
  return skipped + counts.overQuota + unreadable.length > 0 ? EXIT.attention : EXIT.ok;
}

/** Converts the entries to articles, oldest first; prints those that cannot be converted. */
async function convert(context: DatabaseContext, addedBy: string, entries: readonly Entry[]) {
  const articles: Article[] = [];
  const losses = new Losses();
  let skipped = 0;
  for (const entry of entries) {
    const article = articleOf(entry, addedBy, context);
    if (typeof article !== 'string') {
      articles.push(article);
      losses.add(entry);
      continue;
    }
    skipped++;
    await context.print(
      `${nameOfPlace(entry.place)}: ${article}: ${shown(String(entry.fields.url || entry.fields.title))}`,
    );
  }
  return { articles: articles.sort((a, b) => a.added_on - b.added_on), skipped, lost: losses.told() };
}

/** A text of the file as it may appear on a terminal. */
const shown = (text: string): string => text.slice(0, MAX_SHOWN).replace(/\p{Cc}/gu, ' ');

/** Converts an entry to an article, or tells why that is impossible. */
function articleOf(
  { fields, problem }: Entry,
  addedBy: string,
  { clock, settings }: DatabaseContext,
): Article | string {
  const { maxBodyBytes } = settings;
  if (problem) return problem;
  const kind = noPage(fields.url);
  if (kind) return NO_PAGE[kind];
  if (Buffer.byteLength(String(fields.excerpt ?? '')) > maxBodyBytes)
    return `excerpt: longer than MAX_BODY_BYTES (${maxBodyBytes})`;
  const now = clock();
  const added_by = fields.added_by ?? addedBy;
  const marked_read_by = fields.marked_read_by ?? (fields.marked_read_on ? addedBy : undefined);
  try {
    return { ...newArticle({ ...fields, added_by, marked_read_by }, randomUUID(), now), last_modified: now };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}

/** Counts what the entries have that no article gets. */
class Losses {
  private readonly leftOut = new Map<string, number>();
  private readonly dates = { missing: 0, unreadable: 0 };

  add({ leftOut, date }: Entry): void {
    for (const what of new Set(leftOut)) this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
    if (date) this.dates[date]++;
  }

  /** All of it in one line, empty if there is nothing. */
  told(): string {
    const { missing, unreadable } = this.dates;
    const fields = [...this.leftOut].map(([what, count]) => `${what} of ${entriesOf(count)}`).join(', ');
    const dates = [
      ...(unreadable > 0 ? [`the date of ${entriesOf(unreadable)} cannot be read`] : []),
      ...(missing > 0 ? [`${entriesOf(missing)} without a date`] : []),
    ].join(', ');
    return [
      ...(fields === '' ? [] : [`left out, as an article has no place for it: ${fields}`]),
      ...(dates === '' ? [] : [`added now: ${dates}`]),
    ].join('; ');
  }
}

const entriesOf = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;
