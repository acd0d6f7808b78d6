import type { Conflict, LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import type { Session } from '../account/session';
import { Actions, type Done } from '../list/actions';
import { titleOf } from '../list/article-facts';
import { useArticle, useArticles, useCounts, useSyncState } from '../list/hooks';
import { readRoute, type Route, routeHash } from '../list/view';
import { useShortcuts } from '../list/shortcuts';
import { noteAccount } from '../platform/keep';
import { openAway } from '../platform/links';
import type { Preferences } from '../platform/preferences';
import { t } from '../texts';
import { AddDialog } from './add-dialog';
import { Detail } from './detail';
import { HelpDialog } from './help-dialog';
import { ListPane } from './list-pane';
import { type Alert, AlertNotice, ConflictNotice, Notice } from './notices';
import { SettingsDialog } from './settings-dialog';
import { SignOutDialog } from './sign-out-dialog';
import { SyncLine } from './sync-line';
import { TopBar } from './top-bar';
import { ViewsNav } from './views-nav';

interface Props {
  session: Session;
  preferences: Preferences;
  /** An article to save immediately. */
  save?: ToSave;
  onSaved: () => void;
  /** Whether to start with the form to save an article. */
  startsWithAdd: boolean;
  update?: () => void;
  install?: () => void;
  onPreferences: (preferences: Preferences) => void;
  onKeep: (keep: boolean) => void;
  onSignInAgain: () => void;
  onSignOut: () => void;
}

type Open = 'add' | 'help' | 'settings' | 'sign-out' | undefined;

/** The list and everything around it. */
export function ListPage(props: Props): JSX.Element {
  const { session, preferences } = props;
  const { list } = session;
  const [open, setOpen] = useState<Open>(props.startsWithAdd ? 'add' : undefined);
  const [done, setDone] = useState<Done>();
  const [search, setSearch] = useState('');
  const [renaming, setRenaming] = useState<string>();
  const searchField = useRef<HTMLInputElement>(null);
  const actions = useMemo(() => new Actions(list, setDone), [list]);
  const [route, go] = useRoute();
  const items = useArticles(list, route.view, preferences.order, search);
  const selection = useSelection(items, route, go, search);
  const article = useArticle(list, selection.openKey);
  const sync = useSyncState(list);
  const counts = useCounts(list);
  const messages = useMessages(list, items);

  useEffect(() => void noteAccount(session.account, sync.unsent), [session.account, sync.unsent]);
  useEffect(() => setRenaming((key) => (key === selection.openKey ? key : undefined)), [selection.openKey]);
  useEffect(() => {
    if (article === null) selection.vanish();
  }, [article]);
  useEffect(() => {
    if (!props.save) return;
    void actions
      .save(props.save)
      .catch((error: Error) => setDone({ text: t.notices.failed(error.message) }))
      .then(props.onSaved);
  }, [props.save]);

  const remove = (removed: LocalArticle) => {
    selection.leave(removed.key);
    void actions.remove(removed);
  };
  const onCurrent = (action: (article: LocalArticle) => unknown) => () => {
    const current = selection.current() ?? article;
    if (current) void action(current);
  };
  /** An action that may remove the article from this view. */
  const moving = (action: (article: LocalArticle) => unknown) =>
    onCurrent((current) => {
      selection.expectLeaving(current.key);
      return action(current);
    });
  useShortcuts({
    j: () => selection.move(1),
    k: () => selection.move(-1),
    o: onCurrent(({ url }) => openAway(url)),
    m: moving(actions.toggleRead),
    e: moving(actions.toggleArchived),
    f: moving(actions.toggleFavorite),
    r: onCurrent(({ key }) => {
      if (key !== selection.openKey) selection.open(key);
      setRenaming(key);
    }),
    '#': onCurrent(remove),
    z: () => void actions.undo(),
    a: () => setOpen('add'),
    '/': () => searchField.current?.focus(),
    '?': () => setOpen('help'),
    Escape: () => (done ? setDone(undefined) : selection.close()),
    'g u': () => go({ view: 'unread' }),
    'g f': () => go({ view: 'favorites' }),
    'g e': () => go({ view: 'archive' }),
    'g a': () => go({ view: 'all' }),
  });

  return (
    <div class={`page${selection.openKey === undefined ? '' : ' has-detail'}`}>
      <a class="skip-link" href="#list" onClick={(event) => (event.preventDefault(), selection.focus())}>
        {t.skipToList}
      </a>
      <TopBar
        search={search}
        searchField={searchField}
        order={preferences.order}
        onSearch={setSearch}
        onOrder={(order) => props.onPreferences({ ...preferences, order })}
        onAdd={() => setOpen('add')}
        menu={[
          { name: t.settings.heading, action: () => setOpen('settings') },
          { name: t.help.action, action: () => setOpen('help') },
          { name: t.undo, action: () => void actions.undo() },
          { name: t.signOut.action, action: () => setOpen('sign-out') },
        ]}
      />
      <div class="side">
        <ViewsNav view={route.view} counts={counts} />
        <SyncLine state={sync} onSync={() => void list.sync().catch(() => undefined)} />
      </div>
      <main>
        <h2 class="visually-hidden">{t.views[route.view]}</h2>
        <Notices {...props} status={sync.status} messages={messages} onSaveAgain={(save) => void actions.save(save)} />
        <ListPane
          items={items}
          view={route.view}
          isSearch={search.trim() !== ''}
          actions={actions}
          selected={selection.selected}
          openKey={selection.openKey}
          focusRequest={selection.focusRequest}
          onOpen={selection.open}
          onSelect={selection.select}
        />
      </main>
      <aside class="detail-pane" aria-label={t.detail}>
        <Detail
          article={article ?? undefined}
          actions={actions}
          isRenaming={renaming !== undefined && renaming === selection.openKey}
          onRename={(isRenaming) => setRenaming(isRenaming ? selection.openKey : undefined)}
          onRemove={remove}
          onClose={selection.close}
        />
      </aside>
      <Toast done={done} onUndo={() => void actions.undo()} onDismiss={() => setDone(undefined)} />
      {open === 'add' && (
        <AddDialog
          onClose={() => setOpen(undefined)}
          onSave={async (save) => {
            const saved = await actions.save(save);
            setOpen(undefined);
            selection.select(saved.key);
          }}
        />
      )}
      {open === 'help' && <HelpDialog onClose={() => setOpen(undefined)} />}
      {open === 'settings' && <SettingsDialog {...props} onClose={() => setOpen(undefined)} />}
      {open === 'sign-out' && (
        <SignOutDialog session={session} onConfirm={props.onSignOut} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

/** Keeps the route in the URL's fragment, so that the back button works. */
function useRoute(): [Route, (route: Route, replace?: boolean) => void] {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(readRoute(location.hash));
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  const go = (next: Route, replace = false) => {
    history[replace ? 'replaceState' : 'pushState'](null, '', routeHash(next));
    setRoute(next);
  };
  return [route, go];
}

/** Wide pages show the details next to the list, narrow ones instead of it. */
const isWide = () => matchMedia('(min-width: 64rem)').matches;

/** The selected article (keyboard position) and the open one. */
function useSelection(
  items: LocalArticle[] | undefined,
  route: Route,
  go: (route: Route, replace?: boolean) => void,
  search: string,
) {
  const [selected, select] = useState<string | undefined>(route.key);
  const [focusRequest, requestFocus] = useState(0);
  const last = useRef<{ keys: string[]; leaving?: string; scope?: string }>({ keys: [] });
  const keys = (items ?? []).map(({ key }) => key);
  const scope = `${route.view} ${search}`;
  /** The selected article or, if it has left the view, the one that followed it. */
  const nearest = () => {
    if (selected !== undefined && keys.includes(selected)) return selected;
    const before = last.current.keys;
    return before.slice(before.indexOf(selected ?? '') + 1).find((key) => keys.includes(key)) ?? keys[keys.length - 1];
  };

  useEffect(() => {
    // The selected article has left the view: select its neighbour, and focus it if the focus was lost with the row.
    const { keys: before, leaving, scope: scopeBefore } = last.current;
    const next = nearest();
    const isGone = selected !== undefined && !keys.includes(selected) && before.includes(selected);
    const isNoticed = leaving === selected || document.activeElement === document.body;
    // An open article stays selected when something else moves it.
    if (isGone && !isNoticed && route.key === selected && scope === scopeBefore) return;
    last.current = { keys, scope };
    if (!isGone) return;
    // In another view or search it has no neighbour.
    if (scope !== scopeBefore) return select(route.key);
    select(next);
    if (isNoticed) requestFocus((count) => count + 1);
    // Only the user's own action leads on to the next one.
    if (leaving === selected && route.key === selected && isWide())
      go(next === undefined ? { view: route.view } : { ...route, key: next }, true);
  }, [items]);
  useEffect(() => {
    if (route.key !== undefined) select(route.key);
    else if (document.activeElement === document.body) requestFocus((count) => count + 1);
  }, [route.key]);

  const show = (key: string) => {
    select(key);
    requestFocus((count) => count + 1);
    if (isWide() || route.key !== undefined) go({ ...route, key }, true);
  };
  const leave = () => {
    if (selected !== undefined) select(nearest());
    go({ view: route.view }, true);
  };
  return {
    selected,
    select,
    focusRequest,
    openKey: route.key,
    focus: () => requestFocus((count) => count + 1),
    current: () => items?.find(({ key }) => key === (route.key ?? selected)),
    move: (by: 1 | -1) => {
      const at = keys.indexOf(route.key ?? selected ?? '');
      // What has left the view is between its former neighbours.
      const to = at === -1 ? keys.indexOf(nearest() ?? '') + (by - 1) / 2 : at + by;
      const next = keys[Math.min(keys.length - 1, Math.max(0, to))];
      if (next !== undefined) show(next);
    },
    open: (key: string) => {
      select(key);
      go({ ...route, key }, isWide());
      if (!isWide()) requestAnimationFrame(() => document.getElementById('detail-title')?.focus());
    },
    close: () => {
      if (route.key === undefined) return;
      leave();
      requestFocus((count) => count + 1);
    },
    /** The open article does not exist any more. */
    vanish: () => {
      const isMovingOn = isWide() && route.key === selected && last.current.leaving === selected;
      if (!isMovingOn || !keys.includes(selected!)) leave();
    },
    expectLeaving: (key: string) => {
      if (keys.includes(key)) last.current.leaving = key;
    },
    leave: (key: string) => {
      last.current.leaving = key;
      if (route.key === key && !isWide()) go({ view: route.view }, true);
    },
  };
}

type Message = { id: number; alert: Alert } | { id: number; conflict: Conflict & { title: string } };

/** Conflicts and alerts from the library, kept until dismissed. */
function useMessages(list: Session['list'], items: LocalArticle[] | undefined) {
  const [messages, setMessages] = useState<Message[]>([]);
  const titles = useRef(new Map<string, string>());
  for (const article of items ?? []) titles.current.set(article.key, titleOf(article));
  useEffect(() => {
    let id = 0;
    const add = (message: { alert: Alert } | { conflict: Message & Conflict & { title: string } }) =>
      setMessages((messages) => [...messages, { id: id++, ...message }]);
    const stops = [
      list.on('conflict', (conflict: Conflict) => {
        const title = conflict.lost.title || titles.current.get(conflict.key) || conflict.url;
        add({ conflict: { ...conflict, title } as never });
      }),
      list.on('alert', (alert: Alert) =>
        setMessages((messages) =>
          messages.some((known) => 'alert' in known && JSON.stringify(known.alert) === JSON.stringify(alert))
            ? messages
            : [...messages, { id: id++, alert }],
        ),
      ),
    ];
    return () => stops.forEach((stop) => stop());
  }, [list]);
  return {
    messages,
    dismiss: (id: number) => setMessages((messages) => messages.filter((message) => message.id !== id)),
  };
}

interface NoticesProps extends Props {
  status: Session['list']['status'];
  messages: ReturnType<typeof useMessages>;
  onSaveAgain: (save: ToSave) => void;
}

function Notices(props: NoticesProps): JSX.Element {
  const { session, status, update, messages } = props;
  return (
    <section class="notices" aria-label={t.notices.heading} aria-live="polite">
      {update && (
        <Notice>
          {t.notices.update}{' '}
          <button type="button" onClick={update}>
            {t.notices.updateNow}
          </button>
        </Notice>
      )}
      {status === 'signed-out' && (
        <Notice>
          {t.notices.signedOut}{' '}
          <button type="button" onClick={props.onSignInAgain}>
            {t.notices.signInAgain}
          </button>
        </Notice>
      )}
      {status === 'gone' && <Notice>{t.notices.gone}</Notice>}
      {!session.isKept && (
        <Notice>
          {t.notices.tokenOnce}{' '}
          <button type="button" onClick={() => props.onKeep(true)}>
            {t.notices.stay}
          </button>
        </Notice>
      )}
      {messages.messages.map((message) => {
        const onDismiss = () => messages.dismiss(message.id);
        if ('alert' in message) return <AlertNotice key={message.id} alert={message.alert} onDismiss={onDismiss} />;
        const { conflict } = message;
        const onSaveAgain = () => (props.onSaveAgain({ url: conflict.url, title: conflict.title }), onDismiss());
        return <ConflictNotice key={message.id} conflict={conflict} onSaveAgain={onSaveAgain} onDismiss={onDismiss} />;
      })}
    </section>
  );
}

/** The last action. It stays, so that nobody has to read against the clock. */
function Toast({
  done,
  onUndo,
  onDismiss,
}: {
  done: Done | undefined;
  onUndo: () => void;
  onDismiss: () => void;
}): JSX.Element {
  return (
    <div class={`toast${done ? '' : ' is-empty'}`}>
      <p role="status" dir="auto">
        {done?.text}
      </p>
      {done?.undo && (
        <button type="button" class="quiet" onClick={onUndo}>
          {t.undo}
        </button>
      )}
      {done && (
        <button type="button" class="quiet" aria-label={t.dismiss} onClick={onDismiss}>
          ×
        </button>
      )}
    </div>
  );
}
