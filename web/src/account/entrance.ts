/** An article that somebody wants to save: from the bookmarklet or the share sheet. */
export interface ToSave {
  url: string;
  title?: string;
}

/** What the address of the page brings along. */
export interface Entrance {
  /** A bearer token: of the login (`#auth:`), or a personal one (`#token=`). */
  token?: { value: string; kind: 'login' | 'personal' };
  save?: ToSave;
  /** The address asks for the form to save an article. */
  add?: boolean;
}

const SAVE = 'reading-list-save';

/** Takes from the address what is for this visit only, and cleans it at once: addresses are copied, bookmarked and synchronised. */
export function takeEntrance(): Entrance {
  const address = new URL(location.href);
  const entrance = readEntrance(address);
  if (bringsSomething(address)) history.replaceState(null, '', location.pathname);
  if (entrance.save) rememberSave(entrance.save);
  return { ...entrance, save: entrance.save ?? recallSave() };
}

/** Whether an address is more than one of a view. */
export const bringsSomething = (address: URL): boolean => Object.keys(readEntrance(address)).length > 0;

/** Reads an address. */
export function readEntrance({ hash, searchParams }: URL): Entrance {
  if (hash.startsWith('#auth:')) return { token: { value: hash.slice('#auth:'.length), kind: 'login' } };
  const fragment = new URLSearchParams(hash.slice(1));
  const token = fragment.get('token');
  if (token) return { token: { value: token, kind: 'personal' } };
  if (hash === '#add') return { add: true };
  const save = fragment.get('save');
  if (save) return { save: { url: save, title: fragment.get('title') ?? undefined } };
  return readShare(searchParams);
}

/** Share sheets put the address into whichever field they like. */
function readShare(search: URLSearchParams): Entrance {
  const [url, text, title] = ['share_url', 'share_text', 'share_title'].map((name) => search.get(name)?.trim() ?? '');
  const found = [url, text, title].map((part) => /https?:\/\/\S+/i.exec(part ?? '')?.[0]).find(Boolean);
  if (!found) return url || text || title ? { add: true } : {};
  const name = title && title !== found ? title : text?.replace(found, '').trim();
  return { save: { url: found, title: name || undefined } };
}

/** Signing in may lead to another page and back. */
const rememberSave = (save: ToSave) => sessionStorage.setItem(SAVE, JSON.stringify(save));

/** The article is saved, or the user does not want it any more. */
export const forgetSave = () => sessionStorage.removeItem(SAVE);

function recallSave(): ToSave | undefined {
  const kept = sessionStorage.getItem(SAVE);
  return kept === null ? undefined : (JSON.parse(kept) as ToSave);
}
