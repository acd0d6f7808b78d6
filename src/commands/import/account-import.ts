import type { Article, Tombstone } from '../../articles/article.js';
import { findAccount } from '../../accounts/accounts.store.js';
import type { CommandContext } from '../command.js';
import type { AccountState } from './files/own-lines.js';
import { Rehearsal } from './rehearsal.js';
import { addArticles, restoreItems } from './store-items.js';

type Item = Article | Tombstone;

const CHUNK = 100;
/** Excerpts have no limit of their own; a statement has. */
const CHUNK_CHARACTERS = 2_000_000;

/** What became of the items so far, or would become of them in a dry run. */
export interface ImportCounts {
  stored: number;
  /** There already, or another article has their address. */
  known: number;
}

/** Puts items into one account, chunk by chunk; in a dry run it only counts. */
export class AccountImport {
  private chunk: Item[] = [];
  private characters = 0;

  private constructor(
    private readonly store: (items: Item[]) => Promise<number>,
    private readonly counts: ImportCounts,
  ) {}

  /**
   * An import that brings an exported account back as it was, timestamps included, when nothing has changed there since. An
   * account that went on meanwhile gets its missing articles as new changes, as its devices would not see old ones.
   */
  static async restoring(context: CommandContext, account: Buffer, state: AccountState, counts: ImportCounts) {
    const { database } = context;
    const present = await database.onSession((session) => findAccount(session, account));
    if (present && present.last_modified > state.last_modified) return this.adding(context, account, counts);
    const rehearsal = new Rehearsal(database, account, 'restoring');
    return new AccountImport(
      (items) => (context.options['dry-run'] ? rehearsal.count(items) : restoreItems(database, account, state, items)),
      counts,
    );
  }

  /** An import that adds articles as changes of this moment; tombstones are left out. */
  static adding({ database, clock, options }: CommandContext, account: Buffer, counts: ImportCounts): AccountImport {
    const isArticle = (item: Item): item is Article => !('deleted' in item);
    const rehearsal = new Rehearsal(database, account, 'adding');
    return new AccountImport((items) => {
      const articles = items.filter(isArticle);
      return options['dry-run'] ? rehearsal.count(articles) : addArticles(database, account, articles, clock());
    }, counts);
  }

  async add(item: Item): Promise<void> {
    this.chunk.push(item);
    this.characters += 'excerpt' in item ? item.excerpt.length : 0;
    if (this.chunk.length >= CHUNK || this.characters >= CHUNK_CHARACTERS) await this.finish();
  }

  /** Stores what is left. An account without items comes to be as well. */
  async finish(): Promise<void> {
    const { chunk } = this;
    this.chunk = [];
    this.characters = 0;
    const stored = await this.store(chunk);
    this.counts.stored += stored;
    this.counts.known += chunk.length - stored;
  }
}
