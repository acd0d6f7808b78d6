import { LRUCache } from 'lru-cache';
import type { Collection } from '../accounts/accounts.store.js';
import { type Filter, includesTombstones } from '../protocol/collection-query.js';
import type { Page } from './store/article-pages.store.js';

const MAX_COUNTS = 10_000;
/** Of queries and of the positions where pages end, which may hold long texts. */
const MAX_CHARACTERS = 4_000_000;
const LONGEST_QUERY = 200;

/** What HEAD requests found, which holds while the collection is unchanged. For speed alone: docs/adr/0013. */
export class KnownCounts {
  private readonly pages = new LRUCache<string, Page>({
    max: MAX_COUNTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ next }, key) => key.length + JSON.stringify(next ?? '').length,
  });

  /** A purge removes tombstones without a new timestamp, so a count that includes them is not remembered. */
  remember(user: string, search: string, filters: readonly Filter[], page: Page): void {
    if (search.length <= LONGEST_QUERY && !includesTombstones(filters)) this.pages.set(keyOf(user, search), page);
  }

  /** @param read reads the collection as it is now; not called where nothing is known */
  async recall(user: string, search: string, read: () => Promise<Collection | undefined>): Promise<Page | undefined> {
    const known = this.pages.get(keyOf(user, search));
    if (!known) return undefined;
    const now = await read();
    const { last_modified, live_count, purged_until } = known.collection;
    const isCurrent =
      now?.last_modified === last_modified && now.live_count === live_count && now.purged_until === purged_until;
    return isCurrent ? known : undefined;
  }
}

const keyOf = (user: string, search: string): string => `${user}?${search}`;
