import type { Article, Tombstone } from '../../articles/article.js';
import { findCollection } from '../../accounts/accounts.store.js';
import type { StoredArticle } from '../../database/entities/article.entity.js';
import type { Destination, Stored } from './store-items.js';
import { holdersOf, versionOf } from '../../articles/store/transfer.store.js';

type Item = Article | Tombstone;
type Version = Pick<StoredArticle, 'last_modified' | 'deleted'>;

/**
 * Determines what an import would store, without writing. Takes into account which URLs earlier items of the file would
 * take or release.
 */
export class DryRun {
  private readonly versions = new Map<string, Version & { urlKeys: string[] }>();
  private readonly holders = new Map<string, string>();
  private liveCount?: number;

  constructor(
    private readonly destination: Destination,
    private readonly mode: 'restoring' | 'adding',
  ) {}

  /** How many of the items would be stored. */
  async count(items: readonly Item[]): Promise<Stored> {
    const { account, database } = this.destination;
    this.liveCount ??= (await database.onSession((session) => findCollection(session, account)))?.live_count ?? 0;
    const counts = { stored: 0, overQuota: 0 };
    for (const item of items) {
      const delta = await this.deltaOf(item);
      if (delta === undefined) continue;
      if (delta > 0 && this.liveCount >= this.destination.maxLive) {
        counts.overQuota++;
        continue;
      }
      counts.stored++;
      this.liveCount += delta;
      this.store(item);
    }
    return counts;
  }

  /** How storing the item would change the number of live articles; undefined when it is known. */
  private async deltaOf(item: Item): Promise<number | undefined> {
    const known = await this.versionOf(item.id);
    if (known && known.last_modified >= item.last_modified) return undefined;
    if (!('deleted' in item) && (await this.isTaken(item))) return undefined;
    return Number(!('deleted' in item)) - Number(known !== undefined && !known.deleted);
  }

  private async versionOf(id: string): Promise<Version | undefined> {
    if (this.mode === 'adding') return undefined;
    const { account, database } = this.destination;
    return this.versions.get(id) ?? database.onSession((session) => versionOf(session, account, id));
  }

  private async isTaken(article: Article): Promise<boolean> {
    const { account, database } = this.destination;
    const { id } = article;
    const mayHold = (holder: string | undefined) => holder !== undefined && (this.mode === 'adding' || holder !== id);
    if (urlKeysOf(article).some((key) => mayHold(this.holders.get(key)))) return true;
    const stored = await database.onSession((session) => holdersOf(session, account, article));
    return stored.some((holder) => mayHold(holder) && !this.versions.has(holder));
  }

  private store(item: Item): void {
    const { id, last_modified } = item;
    const deleted = 'deleted' in item;
    for (const key of this.versions.get(id)?.urlKeys ?? []) this.holders.delete(key);
    const urlKeys = deleted ? [] : urlKeysOf(item);
    for (const key of urlKeys) this.holders.set(key, id);
    if (this.mode === 'restoring') this.versions.set(id, { last_modified, deleted, urlKeys });
  }
}

const urlKeysOf = ({ url, resolved_url }: Article): string[] => [`url ${url}`, `resolved_url ${resolved_url}`];
