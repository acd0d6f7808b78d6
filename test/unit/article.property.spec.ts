import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Article, newArticle, patchArticle, patchResponse } from '../../src/articles/article.js';
import { ApiError } from '../../src/protocol/api-error.js';
import { aStoredArticle } from '../support/article.js';

/** What a device may send in a PATCH, already typed. */
interface Patch {
  title?: string | null;
  resolved_title?: string | null;
  resolved_url?: string | null;
  excerpt?: string | null;
  archived?: boolean | null;
  favorite?: boolean | null;
  is_article?: boolean | null;
  word_count?: number | null;
  unread?: boolean | null;
  marked_read_by?: string | null;
  marked_read_on?: number | null;
  read_position?: number | null;
}

const few = <T>(...values: T[]) => fc.constantFrom<T | null>(null, ...values);
const aPatch: fc.Arbitrary<Patch> = fc.record(
  {
    title: few('A', 'B', ''),
    resolved_title: few('A', 'R', ''),
    resolved_url: few('https://example.com/a', 'https://example.com/r', ''),
    excerpt: few('', 'text'),
    archived: few(true, false),
    favorite: few(true, false),
    is_article: few(true, false),
    word_count: few(0, 5),
    unread: few(true, false),
    marked_read_by: few('phone', 'tv'),
    marked_read_on: few(0, 5),
    read_position: few(0, 3, 5, 8),
  },
  { requiredKeys: [] },
);

/** The same rules in the plainest words, case by case. */
function model(old: Article, patch: Patch): Article {
  const next = { ...old };
  if (patch.title !== undefined) next.title = patch.title;
  if (patch.excerpt !== undefined) next.excerpt = patch.excerpt === null ? '' : patch.excerpt;
  if (patch.word_count !== undefined) next.word_count = patch.word_count;
  if (typeof patch.archived === 'boolean') next.archived = patch.archived;
  if (typeof patch.favorite === 'boolean') next.favorite = patch.favorite;
  if (typeof patch.is_article === 'boolean') next.is_article = patch.is_article;
  if (typeof patch.resolved_title === 'string') next.resolved_title = patch.resolved_title;
  if (patch.resolved_title === null) next.resolved_title = next.title;
  if (patch.resolved_url) next.resolved_url = patch.resolved_url;
  if (patch.resolved_url === null || patch.resolved_url === '') next.resolved_url = old.url;
  if (typeof patch.read_position === 'number' && patch.read_position > old.read_position)
    next.read_position = patch.read_position;
  if (old.unread && patch.unread === false) {
    next.unread = false;
    next.marked_read_by = patch.marked_read_by === undefined ? null : patch.marked_read_by;
    next.marked_read_on = patch.marked_read_on === undefined ? null : patch.marked_read_on;
  }
  if (!old.unread && patch.unread === true) {
    next.unread = true;
    next.marked_read_by = null;
    next.marked_read_on = null;
    next.read_position = 0;
  }
  return next;
}

describe('any series of patches', () => {
  it('ends where the rules lead to, one after the other', () => {
    fc.assert(
      fc.property(fc.array(aPatch, { maxLength: 12 }), (patches) => {
        let stored = aStoredArticle();
        for (const patch of patches) {
          const patched = patchArticle(stored, patch);
          expect(patched).toEqual(model(stored, patch));
          expect(patched === stored).toBe(JSON.stringify(patched) === JSON.stringify(stored));
          stored = patched;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same when one is sent twice, unless it starts over with a position', () => {
    fc.assert(
      fc.property(aPatch, aPatch, (first, second) => {
        fc.pre(second.unread !== true || typeof second.read_position !== 'number');
        const once = patchArticle(patchArticle(aStoredArticle(), first), second);
        expect(patchArticle(once, second)).toBe(once);
      }),
    );
  });
});

describe('the answer to any patch', () => {
  it('shows named fields only, with their stored values', () => {
    fc.assert(
      fc.property(aPatch, aPatch, fc.constantFrom('light' as const, 'diff' as const), (first, second, behavior) => {
        const before = patchArticle(aStoredArticle(), first);
        const after = patchArticle(before, second);
        const answer = patchResponse(behavior, before, after, second);
        const sent: Record<string, unknown> = { ...second };
        for (const field of Object.keys(after) as (keyof Article)[]) {
          const isNamed = field in sent;
          const isShown =
            behavior === 'light'
              ? isNamed && before[field] !== after[field]
              : isNamed && sent[field] !== after[field] && !isNullFlag(field, sent[field]);
          expect(field in answer).toBe(isShown);
          if (isShown) expect(answer[field]).toBe(after[field]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

const isNullFlag = (field: string, value: unknown): boolean =>
  value === null && ['archived', 'favorite', 'is_article', 'unread', 'read_position'].includes(field);

describe('whatever a device sends', () => {
  const fields = fc.constantFrom(...Object.keys(aStoredArticle()), 'deleted', '__proto__', 'constructor', '_id');
  const anyBody = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fields, fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double(), fc.boolean())),
  );
  const isRefused = (action: () => unknown): void => {
    try {
      action();
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect([108, 109]).toContain((error as ApiError).errno);
    }
  };

  it('becomes an article or is refused with 400', () => {
    fc.assert(fc.property(anyBody, (body) => isRefused(() => newArticle(body, 'an-id', 5))));
  });

  it('patches an article or is refused with 400', () => {
    fc.assert(fc.property(anyBody, (body) => isRefused(() => patchArticle(aStoredArticle(), body))));
  });
});
