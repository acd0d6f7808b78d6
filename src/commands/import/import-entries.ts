import { randomUUID } from 'node:crypto';
import { type Contents, type Entry, nameOfPlace, NO_PAGE, noPage } from '@reading-list/formats';
import { type Article, newArticle } from '../../articles/article.js';
import { ApiError } from '../../protocol/api-error.js';
import { type CommandContext, counted, EXIT } from '../shell.js';
import { destinationOf, type ImportContext, printCounts } from './destination.js';

/** Imports another service's entries. Resolves with the exit code. */
export async function importEntries(context: ImportContext, account: Buffer, addedBy: string, contents: Contents) {
  const { entries, others, unreadable } = contents;
  const converted = new Map<Entry, Article>();
  for (const entry of entries) {
    const { fields, place } = entry;
    const article = articleOf(entry, addedBy, context);
    if (typeof article !== 'string') converted.set(entry, article);
    else await context.print(`${nameOfPlace(place)}: ${article}: ${shown(String(fields.url || fields.title))}`);
  }
  const articles = [...converted.values()].sort((a, b) => a.added_on - b.added_on);
  const skipped = entries.length - articles.length;
  const lost = lossesOf([...converted.keys()]);
  const now = context.now();
  const destination = await destinationOf(context, account, { last_modified: now, purged_until: now - 1 });
  for (const [at, article] of articles.entries()) {
    await destination.add(article);
    context.progress(`${at + 1} of ${articles.length} so far`);
  }
  // An import of nothing adds no user.
  if (articles.length > 0) await destination.store();
  const code = await printCounts(context, counted(context.counts.stored, 'article'), `, ${skipped} cannot be imported`);
  for (const file of unreadable) await context.print(`${shown(file)}: not an export that can be read`);
  if (others.length > 0) await context.print(`not read in the archive: ${counted(others.length, 'other file')}`);
  if (lost !== '') await context.print(lost);
  return skipped + unreadable.length > 0 ? EXIT.attention : code;
}

/** A text of the file as it may appear on a terminal. */
const shown = (text: string): string => text.slice(0, 200).replace(/\p{Cc}/gu, ' ');

function articleOf({ fields, problem }: Entry, addedBy: string, { now }: CommandContext): Article | string {
  if (problem) return problem;
  const kind = noPage(fields.url);
  if (kind) return NO_PAGE[kind];
  const added_by = fields.added_by ?? addedBy;
  const marked_read_by = fields.marked_read_by ?? (fields.marked_read_on ? addedBy : undefined);
  try {
    // It gets a timestamp when it is stored.
    return { ...newArticle({ ...fields, added_by, marked_read_by }, randomUUID(), now()), last_modified: 0 };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}

function lossesOf(entries: readonly Entry[]): string {
  const parts = entries.flatMap(({ leftOut }) => [...new Set(leftOut)]);
  const fields = [...new Set(parts)].map((what) => `${what} of ${entriesOf(parts.filter((part) => part === what))}`);
  const unreadable = entries.filter(({ date }) => date === 'unreadable');
  const missing = entries.filter(({ date }) => date === 'missing');
  const dates: string[] = [];
  if (unreadable.length > 0) dates.push(`the date of ${entriesOf(unreadable)} cannot be read`);
  if (missing.length > 0) dates.push(`${entriesOf(missing)} without a date`);
  const losses: string[] = [];
  if (fields.length > 0) losses.push(`left out, as articles have no fields for them: ${fields.join(', ')}`);
  if (dates.length > 0) losses.push(`counted as added now: ${dates.join(', ')}`);
  return losses.join('; ');
}

const entriesOf = ({ length }: readonly unknown[]): string => counted(length, 'entry', 'entries');
