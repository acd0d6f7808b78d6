import type { LocalArticle, Query } from '@reading-list/client';

/** The views of the list, in display order. */
export const VIEWS = ['unread', 'read', 'favorites', 'archive', 'all'] as const;
export type View = (typeof VIEWS)[number];

/** The query of each view. */
export const VIEW_QUERIES: Readonly<Record<View, Query>> = {
  unread: { unread: true, archived: false },
  read: { unread: false, archived: false },
  favorites: { favorite: true },
  archive: { archived: true },
  all: {},
};

export const isInView = (article: LocalArticle, view: View): boolean =>
  Object.entries(VIEW_QUERIES[view]).every(([field, value]) => article[field as keyof LocalArticle] === value);

/** The view in which one would look for an article. */
export const placeOf = ({ archived, unread }: LocalArticle): View =>
  archived ? 'archive' : unread ? 'unread' : 'read';

/** What the page shows: a view and, if any, the open article. */
export interface Route {
  view: View;
  key?: string;
}

/** Parses the fragment of the page's URL. */
export function readRoute(hash: string): Route {
  const [, name = '', key] = /^#\/(\w+)(?:\/(.+))?$/.exec(hash) ?? [];
  const view = VIEWS.find((known) => known === name) ?? 'unread';
  try {
    return key === undefined ? { view } : { view, key: decodeURIComponent(key) };
  } catch {
    return { view };
  }
}

/** The fragment for a route. */
export const routeHash = ({ view, key }: Route): string =>
  `#/${view}${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;
