import type { Article } from '../../articles/article.js';
import type { DatabaseContext } from '../command.js';
import type { Item } from './own-lines.js';
import { type Destination, Rehearsal, type Stored } from './store-items.js';

/** Items that are stored in one transaction. */
export const CHUNK = 100;

/** The options of `user import` besides those that name a user. */
export interface ImportOptions {
  addedBy: string;
  dryRun?: boolean;
}

/** What happened to the items so far, or would happen in a dry run. */
export interface ImportCounts extends Stored {
  /** Already present, or another article has their URL. */
  known: number;
}

export const noneYet = (): ImportCounts => ({ stored: 0, known: 0, overQuota: 0 });

export function count(counts: ImportCounts, items: readonly Item[], { stored, overQuota }: Stored): void {
  counts.stored += stored;
  counts.overQuota += overQuota;
  counts.known += items.length - stored - overQuota;
}

/** Says how many articles were left out, if any; resolves with whether there were any. */
export async function printOverQuota({ settings, print }: DatabaseContext, { overQuota }: Stored): Promise<boolean> {
  const most = `MAX_ARTICLES_PER_USER (${settings.maxArticlesPerUser})`;
  if (overQuota > 0) await print(`left out, as a user has at most ${most}: ${overQuota} articles`);
  return overQuota > 0;
}

/** A dry run rolls each transaction back. */
export const destinationOf = (
  { database, settings }: DatabaseContext,
  isDryRun: boolean,
  account: Buffer,
): Destination => ({
  database,
  account,
  maxLive: settings.maxArticlesPerUser || Infinity,
  rehearsed: isDryRun ? new Rehearsal() : undefined,
});

export const isArticle = (item: Item): item is Article => !('deleted' in item);
