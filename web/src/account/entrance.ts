/** An article to save, from the bookmarklet or the share sheet. */
export interface ToSave {
  url: string;
  title?: string;
}

/** What the page's URL carries. */
export interface Entrance {
  /** A bearer token: from the login (`#auth:`), or a personal one (`#token=`). */
  token?: { value: string; kind: 'login' | 'personal' };
  save?: ToSave;
  /** Open the form to save an article. */
  add?: boolean;
}

const SAVE = 'reading-list-save';

/** The longest title that the service takes, in code points. */
const MAX_TITLE = 1024;

/**
 * Reads one-time parts of the URL and removes them immediately, because URLs are copied, bookmarked and synchronised.
 */
export function takeEntrance(): Entrance {
  const address = new URL(location.href);
  const entrance = readEntrance(address);
  if (bringsSomething(address)) history.replaceState(null, '', location.pathname);
  try {
    if (entrance.save) rememberSave(entrance.save);
    return { ...entrance, save: entrance.save ?? recallSave() };
  } catch {
    // The page is about to say that it can't store anything.
    return entrance;
  }
}

/** Whether a URL has one-time parts, besides the view. */
export const bringsSomething = (address: URL): boolean => Object.keys(readEntrance(address)).length > 0;

export function readEntrance({ hash, searchParams }: URL): Entrance {
  if (hash.startsWith('#auth:')) return { token: { value: hash.slice('#auth:'.length), kind: 'login' } };
  const fragment = new URLSearchParams(hash.slice(1));
  const token = fragment.get('token');
  if (token) return { token: { value: token, kind: 'personal' } };
  if (hash === '#add') return { add: true };
  const save = fragment.get('save');
  if (save) return { save: { url: save, title: cut(fragment.get('title')) } };
  return readShare(searchParams);
}

/** Share sheets may put the URL into any of the fields. */
function readShare(search: URLSearchParams): Entrance {
  const [url, text, title] = ['share_url', 'share_text', 'share_title'].map((name) => search.get(name)?.trim() ?? '');
  const found = [url, text, title].map((part) => /https?:\/\/\S+/i.exec(part ?? '')?.[0]).find(Boolean);
  if (!found) return url || text || title ? { add: true } : {};
  const name = title && title !== found ? title : text?.replace(found, '').trim();
  return { save: { url: found === url ? url : withoutMarks(found), title: cut(name) } };
}

/** A URL in a sentence, without the marks after it; a parenthesis may be a part of it. */
const withoutMarks = (url: string) => url.replace(url.includes('(') ? /[.,;:!?'"”’»]+$/ : /[.,;:!?'"”’»)]+$/, '');

const cut = (title?: string | null) => (title ? [...title].slice(0, MAX_TITLE).join('') : undefined);

/** Kept in the session, because signing in may lead to another page and back. */
const rememberSave = (save: ToSave) => sessionStorage.setItem(SAVE, JSON.stringify(save));

/** Call it once the article is saved or discarded. */
export const forgetSave = () => sessionStorage.removeItem(SAVE);

function recallSave(): ToSave | undefined {
  const kept = sessionStorage.getItem(SAVE);
  return kept === null ? undefined : (JSON.parse(kept) as ToSave);
}
