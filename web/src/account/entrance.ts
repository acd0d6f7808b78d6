import { MAX_LENGTHS } from '@reading-list/client';
import { cleanAddress } from '../list/canonical';
import { findAddress, tidyTitle } from '../ways/shared-text';

/** An article to save, from a link, the bookmarklet or the share sheet. */
export interface ToSave {
  /** Empty if there was none in what was shared. */
  url: string;
  title?: string;
  /** Whether to show it in the form first: anybody can make a link, and the form may offer a better address. */
  asks?: boolean;
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
  if (save) return { save: { url: save, title: cut(fragment.get('title')), asks: true } };
  return readShare(searchParams);
}

/** Share sheets may put the URL into any of the fields, and a text around it. */
function readShare(search: URLSearchParams): Entrance {
  const [url = '', text = '', title = ''] = ['share_url', 'share_text', 'share_title'].map(
    (name) => search.get(name)?.trim() ?? '',
  );
  if (!url && !text && !title) return {};
  const found = [url, text, title].map(findAddress).find(Boolean);
  if (!found) return { save: { url, title: cut(text.includes(title) ? text : `${title} ${text}`.trim()), asks: true } };
  // A text that is nothing but an address is taken whole.
  const address = /^https?:\/\/\S+$/i.test(url) ? url : found.url;
  const name = findAddress(title)?.title ?? tidyTitle(title);
  const asks = !isInstalled() || cleanAddress(address) !== address;
  return { save: { url: address, title: cut(name || findAddress(text)?.title || tidyTitle(text)), asks } };
}

/** Whether this is the window of the installed application, which share sheets open; most links open a tab. */
const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

const cut = (title?: string | null) => (title ? [...title].slice(0, MAX_LENGTHS.title).join('') : undefined);

/** Kept in the session, because signing in may lead to another page and back. */
const rememberSave = (save: ToSave) => sessionStorage.setItem(SAVE, JSON.stringify(save));

/** Call it once the article is saved or discarded. */
export const forgetSave = () => sessionStorage.removeItem(SAVE);

function recallSave(): ToSave | undefined {
  const kept = sessionStorage.getItem(SAVE);
  return kept === null ? undefined : (JSON.parse(kept) as ToSave);
}
