import type { Article, Tombstone } from '../../articles/article.js';
import type { Database } from '../../database/database.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { holdersOf, versionOf } from '../../articles/store/transfer.store.js';

type Item = Article | Tombstone;

/**
 * Determines what an import would store, without writing. Takes into account which URLs earlier items of the file would
 * take or release.
 */
export class DryRun {
  private readonly versions = new Map<string, { last_modified: Timestamp; urlKeys: string[] }>();
  private readonly holders = new Map<string, string>();

  constructor(
    private readonly database: Database,
    private readonly account: Buffer,
    private readonly mode: 'restoring' | 'adding',
  ) {}

  /** How many of the items would be stored. */
  async count(items: readonly Item[]): Promise<number> {
    let stored = 0;
    for (const item of items) if (await this.wouldStore(item)) stored++;
    return stored;
  }

  private async wouldStore(item: Item): Promise<boolean> {
    const { id } = item;
    if (this.mode === 'restoring') {
      const known = this.versions.get(id)?.last_modified ?? (await this.storedVersion(id));
      if (known !== undefined && known >= item.last_modified) return false;
    }
    if (!('deleted' in item) && (await this.isTaken(item, id))) return false;
    this.store(item, id);
    return true;
  }

  private async storedVersion(id: string): Promise<Timestamp | undefined> {
    const known = await this.database.onSession((session) => versionOf(session, this.account, id));
    return known?.last_modified;
  }

  private async isTaken(article: Article, id: string): Promise<boolean> {
    const mayHold = (holder: string | undefined) => holder !== undefined && (this.mode === 'adding' || holder !== id);
    if (urlKeysOf(article).some((key) => mayHold(this.holders.get(key)))) return true;
    const stored = await this.database.onSession((session) => holdersOf(session, this.account, article));
    return stored.some((holder) => mayHold(holder) && !this.versions.has(holder));
  }

  private store(item: Item, id: string): void {
    for (const key of this.versions.get(id)?.urlKeys ?? []) this.holders.delete(key);
    const urlKeys = 'deleted' in item ? [] : urlKeysOf(item);
    for (const key of urlKeys) this.holders.set(key, id);
    if (this.mode === 'restoring') this.versions.set(id, { last_modified: item.last_modified, urlKeys });
  }
}

const urlKeysOf = ({ url, resolved_url }: Article): string[] => [`url ${url}`, `resolved_url ${resolved_url}`];
