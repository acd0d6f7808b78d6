import { LRUCache } from 'lru-cache';
import type { Collection } from '../accounts/accounts.store.js';
import { type CollectionQuery, includesTombstones } from '../protocol/collection-query.js';
import type { Page } from './store/article-pages.store.js';

const MAX_BYTES = 4_000_000;
const LONGEST_QUERY = 200;

/**
 * What HEAD requests found: a device that shows a count asks for the same one again and again. While the collection has not
 * changed, which one read of its row tells, the count has not either. For this speed alone: docs/adr/0013.
 */
export class KnownCounts {
  private readonly pages = new LRUCache<string, Page>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ next }, key) => key.length + JSON.stringify(next ?? '').length,
  });

  /** A purge removes tombstones without a new timestamp, so a count that includes them is not remembered. */
  remember(user: string, search: string, { filters }: CollectionQuery, page: Page): void {
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
