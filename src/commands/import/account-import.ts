import type { Article, Tombstone } from '../../articles/article.js';
import type { Clock } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { findAccount } from '../accounts.store.js';
import { type AccountState, addArticles, restoreItems } from './store-items.js';

type Item = Article | Tombstone;

const CHUNK = 100;
/** Excerpts have no limit of their own; a statement has. */
const CHUNK_CHARACTERS = 2_000_000;

/** What became of the items so far. */
export interface ImportCounts {
  stored: number;
  /** There already, or another article has their address. */
  known: number;
}

/** Puts items into one account, chunk by chunk. */
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
  static async restoring(database: Database, clock: Clock, account: Buffer, state: AccountState, counts: ImportCounts) {
    const present = await database.read((session) => findAccount(session, account));
    if (present && present.last_modified > state.last_modified) return this.adding(database, clock, account, counts);
    return new AccountImport((items) => restoreItems(database, account, state, items), counts);
  }

  /** An import that adds articles as changes of this moment; tombstones are left out. */
  static adding(database: Database, clock: Clock, account: Buffer, counts: ImportCounts): AccountImport {
    const isArticle = (item: Item): item is Article => !('deleted' in item);
    return new AccountImport((items) => addArticles(database, account, items.filter(isArticle), clock()), counts);
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
