import type { Article, Tombstone } from '../../articles/article.js';
import type { Settings } from '../../config/settings.js';
import { findAccount } from '../../accounts/accounts.store.js';
import type { DatabaseContext } from '../command.js';
import type { AccountState } from './own-lines.js';
import { addArticles, type Destination, Rehearsal, restoreItems, type Stored } from './store-items.js';

type Item = Article | Tombstone;

const CHUNK = 100;

/** The options of `user import` besides those that name a user. */
export interface ImportOptions {
  addedBy: string;
  dryRun?: boolean;
}

/** What happened to the items so far, or would happen in a dry run. */
export interface ImportCounts {
  stored: number;
  /** Already present, or another article has their URL. */
  known: number;
  /** Left out, because the user has `MAX_ARTICLES_PER_USER` articles. */
  overQuota: number;
}

/** What a command prints about the articles that it leaves out. */
export const overQuotaLine = (
  { overQuota }: ImportCounts,
  { maxArticlesPerUser }: Pick<Settings, 'maxArticlesPerUser'>,
): string => `left out, as a user has at most MAX_ARTICLES_PER_USER (${maxArticlesPerUser}): ${overQuota} articles`;

export const noneYet = (): ImportCounts => ({ stored: 0, known: 0, overQuota: 0 });

/** Imports items into one account in chunks; a dry run rolls each of them back. */
export class AccountImport {
  private chunk: Item[] = [];

  private constructor(
    private readonly store: (items: Item[]) => Promise<Stored>,
    private readonly counts: ImportCounts,
  ) {}

  /**
   * An import that restores an exported account with its timestamps if it has not changed since. Otherwise missing
   * articles are added as new changes, because devices would not see old ones.
   */
  static async restoring(
    context: DatabaseContext,
    isDryRun: boolean,
    account: Buffer,
    state: AccountState,
    counts: ImportCounts,
  ) {
    const present = await context.database.onSession((session) => findAccount(session, account));
    if (present && present.last_modified > state.last_modified) return this.adding(context, isDryRun, account, counts);
    const destination = destinationOf(context, isDryRun, account);
    return new AccountImport((items) => restoreItems(destination, state, items), counts);
  }

  /** An import that adds articles as new changes, without tombstones. */
  static adding(context: DatabaseContext, isDryRun: boolean, account: Buffer, counts: ImportCounts): AccountImport {
    const isArticle = (item: Item): item is Article => !('deleted' in item);
    const destination = destinationOf(context, isDryRun, account);
    return new AccountImport((items) => addArticles(destination, items.filter(isArticle), context.clock()), counts);
  }

  async add(item: Item): Promise<void> {
    this.chunk.push(item);
    if (this.chunk.length >= CHUNK) await this.finish();
  }

  /** Stores the remaining items; also creates an account without items. */
  async finish(): Promise<void> {
    const { chunk } = this;
    this.chunk = [];
    const { stored, overQuota } = await this.store(chunk);
    this.counts.stored += stored;
    this.counts.overQuota += overQuota;
    this.counts.known += chunk.length - stored - overQuota;
  }
}

const destinationOf = ({ database, settings }: DatabaseContext, isDryRun: boolean, account: Buffer): Destination => ({
  database,
  account,
  maxLive: settings.maxArticlesPerUser || Infinity,
  rehearsed: isDryRun ? new Rehearsal() : undefined,
});
