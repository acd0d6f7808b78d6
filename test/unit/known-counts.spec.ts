import { describe, expect, it } from 'vitest';
import { KnownCounts } from '../../src/articles/listing.service.js';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';

const COLLECTION = { last_modified: 5, live_count: 3, purged_until: 1 };
const unchanged = () => Promise.resolve(COLLECTION);

function remember(counts: KnownCounts, search: string, total = 2): void {
  counts.remember('alice', search, parseCollectionQuery(search).filters, { total, collection: COLLECTION });
}

describe('a count', () => {
  it('is known while the collection is unchanged, to its user alone', async () => {
    const counts = new KnownCounts();
    remember(counts, 'unread=true');
    expect(await counts.recall('alice', 'unread=true', unchanged)).toMatchObject({ total: 2 });
    expect(await counts.recall('alice', 'unread=false', unchanged)).toBeUndefined();
    expect(await counts.recall('bob', 'unread=true', unchanged)).toBeUndefined();
  });

  it.each([{ last_modified: 6 }, { live_count: 4 }, { purged_until: 2 }])('is not known after %o', async (change) => {
    const counts = new KnownCounts();
    remember(counts, '');
    expect(await counts.recall('alice', '', () => Promise.resolve({ ...COLLECTION, ...change }))).toBeUndefined();
    expect(await counts.recall('alice', '', () => Promise.resolve(undefined))).toBeUndefined();
  });

  it.each(['_since=0', `title=${'x'.repeat(200)}`])(
    'that includes tombstones, or of a long query, is not kept: %s',
    async (search) => {
      const counts = new KnownCounts();
      remember(counts, search);
      expect(await counts.recall('alice', search, unchanged)).toBeUndefined();
    },
  );

  it('is forgotten when many others were asked for since, however short', async () => {
    const counts = new KnownCounts();
    for (let at = 0; at <= 10_000; at++) remember(counts, `word_count=${at}`);
    expect(await counts.recall('alice', 'word_count=0', unchanged)).toBeUndefined();
    expect(await counts.recall('alice', 'word_count=1', unchanged)).toBeDefined();
  });
});
