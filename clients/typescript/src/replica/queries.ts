import type { LocalArticle, Query } from '../article.js';
import { checkedInteger, refused } from './checks.js';
import type { Mirror } from './mirror.js';

type Order = NonNullable<Query['order']>;
const FILTERS = ['unread', 'archived', 'favorite'] as const;
type Filter = Pick<Query, (typeof FILTERS)[number]>;

/** In-memory queries. The list is sorted once per order, and again only after a change. */
export class Queries {
  #version = -1;
  readonly #sorted = new Map<Order, LocalArticle[]>();
  readonly #mirror: Mirror;

  constructor(mirror: Mirror) {
    this.#mirror = mirror;
  }

  /** @throws refused when the order, `limit` or `offset` is invalid; Infinity is a valid limit */
  list(query: Query = {}, matches: (article: LocalArticle) => boolean = () => true): LocalArticle[] {
    const { order = 'newest', limit = Infinity, offset = 0 } = query;
    if (!(order in ORDERS)) throw refused('order', `not one of ${Object.keys(ORDERS).join()}`);
    if (limit !== Infinity) checkedInteger(limit, 'limit');
    checkedInteger(offset, 'offset');
    const found: LocalArticle[] = [];
    for (const article of this.#inOrder(order)) {
      if (found.length >= offset + limit) break;
      if (isListed(article, query) && matches(article)) found.push(article);
    }
    return found.slice(offset);
  }

  count(query: Filter = {}): number {
    return this.list({ ...query, limit: Infinity, offset: 0 }).length;
  }

  /** Articles with every word of the text in their titles, URL or excerpt, ignoring case. */
  search(text: string, query: Query = {}): LocalArticle[] {
    const words = fold(text).split(/\s+/).filter(Boolean);
    return this.list(query, ({ title, resolved_title, url, excerpt }) => {
      const haystack = fold([title, resolved_title, url, excerpt].join('\n'));
      return words.every((word) => haystack.includes(word));
    });
  }

  #inOrder(order: Order): LocalArticle[] {
    if (this.#version !== this.#mirror.version) this.#sorted.clear();
    this.#version = this.#mirror.version;
    const known = this.#sorted.get(order);
    if (known) return known;
    const articles = [...this.#mirror.all()].flatMap((entry) => this.#mirror.article(entry) ?? []).sort(ORDERS[order]);
    this.#sorted.set(order, articles);
    return articles;
  }
}

const fold = (text: string): string => text.normalize().toLowerCase();

const isListed = (article: LocalArticle, query: Filter): boolean =>
  FILTERS.every((field) => query[field] === undefined || article[field] === query[field]);

/** By time added, then time stored, then order of creation on this device. */
const byAge = (a: LocalArticle, b: LocalArticle): number =>
  a.added_on - b.added_on || (a.stored_on ?? Infinity) - (b.stored_on ?? Infinity) || (a.key < b.key ? -1 : 1);

const titleOf = ({ title, resolved_title, url }: LocalArticle): string => title || resolved_title || url;

/** In the order of the user's language. */
const byTitle = (a: LocalArticle, b: LocalArticle): number => titleOf(a).localeCompare(titleOf(b)) || byAge(a, b);

const ORDERS: Record<Order, (a: LocalArticle, b: LocalArticle) => number> = {
  newest: (a, b) => byAge(b, a),
  oldest: byAge,
  title: byTitle,
};
