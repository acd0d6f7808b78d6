import type { Article, Tombstone } from '../../articles/article.js';
import { findAccount } from '../../accounts/accounts.store.js';
import type { DatabaseContext } from '../command.js';
import type { AccountState } from './files/own-lines.js';
import { DryRun } from './dry-run.js';
import { addArticles, restoreItems } from './store-items.js';

type Item = Article | Tombstone;

const CHUNK = 100;
/** Excerpts have no size limit of their own, but a statement has one. */
const CHUNK_CHARACTERS = 2_000_000;

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
}

/** Imports items into one account in chunks; in a dry run it only counts. */
export class AccountImport {
  private chunk: Item[] = [];
  private characters = 0;

  private constructor(
    private readonly store: (items: Item[]) => Promise<number>,
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
    const { database } = context;
    const present = await database.onSession((session) => findAccount(session, account));
    if (present && present.last_modified > state.last_modified) return this.adding(context, isDryRun, account, counts);
    const dryRun = new DryRun(database, account, 'restoring');
    return new AccountImport(
      (items) => (isDryRun ? dryRun.count(items) : restoreItems(database, account, state, items)),
      counts,
    );
  }

  /** An import that adds articles as new changes, without tombstones. */
  static adding(
    { database, clock }: DatabaseContext,
    isDryRun: boolean,
    account: Buffer,
    counts: ImportCounts,
  ): AccountImport {
    const isArticle = (item: Item): item is Article => !('deleted' in item);
    const dryRun = new DryRun(database, account, 'adding');
    return new AccountImport((items) => {
      const articles = items.filter(isArticle);
      return isDryRun ? dryRun.count(articles) : addArticles(database, account, articles, clock());
    }, counts);
  }

  async add(item: Item): Promise<void> {
    this.chunk.push(item);
    this.characters += 'excerpt' in item ? item.excerpt.length : 0;
    if (this.chunk.length >= CHUNK || this.characters >= CHUNK_CHARACTERS) await this.finish();
  }

  /** Stores the remaining items; also creates an account without items. */
  async finish(): Promise<void> {
    const { chunk } = this;
    this.chunk = [];
    this.characters = 0;
    const stored = await this.store(chunk);
    this.counts.stored += stored;
    this.counts.known += chunk.length - stored;
  }
}
