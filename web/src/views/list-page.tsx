import type { LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import type { Session } from '../account/session';
import { Actions, type Done } from '../list/actions';
import { useArticle, useArticles, useCounts, useDuplicates, useResolver } from '../list/hooks';
import { useMessages } from '../list/messages';
import { useRoute } from '../list/route';
import { useIsWide, useSelection } from '../list/selection';
import { useShortcuts } from '../list/shortcuts';
import { useSyncState } from '../list/sync-state';
import { isInView } from '../list/view';
import { noteAccount } from '../platform/keep';
import { openAway } from '../platform/links';
import type { Preferences } from '../platform/preferences';
import { reasonOf, t } from '../texts';
import { AddDialog } from './add-dialog';
import { Detail } from './detail';
import { DuplicatesDialog } from './duplicates-dialog';
import { EmptyList } from './empty-list';
import { HelpDialog } from './help-dialog';
import { ListPane } from './list-pane';
import { Notices } from './notices';
import { SettingsDialog } from './settings-dialog';
import { SignOutDialog } from './sign-out-dialog';
import { SyncLine } from './sync-line';
import { Toast } from './toast';
import { TopBar } from './top-bar';
import { ViewsNav } from './views-nav';

interface Props {
  session: Session;
  preferences: Preferences;
  /** An article to save, immediately unless the form is to show it first. */
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

type Open = 'add' | 'duplicates' | 'help' | 'settings' | 'sign-out' | undefined;

/** The list and everything around it. */
export function ListPage(props: Props): JSX.Element {
  const { session, preferences } = props;
  const { list } = session;
  const asked = props.save?.asks ? props.save : undefined;
  const [open, setOpen] = useState<Open>(props.startsWithAdd || asked ? 'add' : undefined);
  const [done, setDone] = useState<Done>();
  const [search, setSearch] = useState('');
  const [renaming, setRenaming] = useState<string>();
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const acted = useRef(new Set<string>());
  const searchField = useRef<HTMLInputElement>(null);
  const actions = useMemo(() => new Actions(list, setDone), [list]);
  const routing = useRoute();
  const { route, go } = routing;
  const isWide = useIsWide();
  const items = useArticles(list, route.view, preferences.order, search);
  const selection = useSelection(items, routing, isWide, search);
  const article = useArticle(list, selection.openKey);
  const sync = useSyncState(list, session.account);
  const counts = useCounts(list);
  const messages = useMessages(list, session.account);
  const duplicates = useDuplicates(list);
  const titlesFollow = useResolver(list, preferences.device);

  useEffect(
    () => void noteAccount(session.account, sync.unsent).catch(() => undefined),
    [session.account, sync.unsent],
  );
  useEffect(() => setRenaming((key) => (key === selection.openKey ? key : undefined)), [selection.openKey]);
  useEffect(() => {
    if (article === null) selection.vanish();
  }, [article]);
  const tellFailure = (error: unknown) => setDone({ text: () => t.notices.failed(reasonOf(error)) });
  useEffect(() => {
    if (props.save && !asked) void actions.save(props.save).catch(tellFailure).then(props.onSaved);
  }, [props.save]);

  const remove = (removed: LocalArticle) => {
    selection.leave(removed.key);
    return actions.remove(removed);
  };
  const undo = (done?: Done) => actions.undo(done).then(selection.expect);
  const isSearch = search.trim() !== '';
  const isHere = (shown: LocalArticle) => isSearch || isInView(shown, route.view);
  const onCurrent = (action: (article: LocalArticle) => unknown) => () => {
    const current = selection.current(article ?? undefined);
    if (current) action(current);
  };
  /** Acts after earlier keys, and skips what these have moved out of the list, even if it is still shown. */
  const inTurn = (action: (article: LocalArticle) => unknown) =>
    onCurrent((shown) => {
      const rows = items ?? [];
      const at = rows.indexOf(shown);
      const isOnly = at === -1 || (selection.openKey !== undefined && !isWide);
      const act = async () => {
        for (const { key } of isOnly ? [shown] : rows.slice(at)) {
          const current = await list.get({ key });
          if (acted.current.has(key) && !isOnly && !(current && isHere(current))) continue;
          acted.current.add(key);
          if (key !== shown.key) selection.show(key);
          selection.expectLeaving(key);
          return current && action(current);
        }
      };
      turn.current = turn.current.then(act).catch(tellFailure);
    });
  const shortcuts = {
    j: () => selection.move(1),
    k: () => selection.move(-1),
    o: onCurrent(({ url }) => openAway(url)),
    m: inTurn(actions.toggleRead),
    e: inTurn(actions.toggleArchived),
    f: inTurn(actions.toggleFavorite),
    r: onCurrent(({ key }) => {
      if (key !== selection.openKey) selection.open(key);
      setRenaming(key);
    }),
    '#': inTurn(remove),
    // Undoing may wait for the service, which no key waits for.
    z: () => void turn.current.then(() => void undo()),
    a: () => setOpen('add'),
    '/': () => searchField.current?.focus(),
    '?': () => setOpen('help'),
    Escape: () => (done ? setDone(undefined) : selection.close()),
    'g u': () => go({ view: 'unread' }),
    'g r': () => go({ view: 'read' }),
    'g f': () => go({ view: 'favorites' }),
    'g e': () => go({ view: 'archive' }),
    'g a': () => go({ view: 'all' }),
  };
  useShortcuts(shortcuts, preferences.shortcuts);
  const whenEmpty = counts.all === 0 && (
    <EmptyList
      session={session}
      isSynced={sync.syncedAt !== undefined}
      onAdd={() => setOpen('add')}
      onStart={() => setOpen('settings')}
    />
  );

  return (
    <div class="frame">
      <div class={`page${selection.openKey === undefined ? '' : ' has-detail'}`}>
        <a class="skip-link" href="#list" onClick={(event) => (event.preventDefault(), selection.focus())}>
          {t.skipToList}
        </a>
        <TopBar
          search={search}
          searchField={searchField}
          order={preferences.order}
          onSearch={(text) => {
            setSearch(text);
            // What is found would be below the details.
            if (!isWide && selection.openKey !== undefined) routing.close();
          }}
          onResults={selection.focus}
          onOrder={(order) => props.onPreferences({ ...preferences, order })}
          onAdd={() => setOpen('add')}
          menu={[
            { name: t.settings.heading, action: () => setOpen('settings') },
            { name: t.help.action, action: () => setOpen('help') },
            { name: t.undo, action: () => void undo() },
            { name: t.signOut.action, action: () => setOpen('sign-out') },
          ]}
        />
        <div class="side">
          <ViewsNav view={route.view} counts={counts} />
          <SyncLine state={sync} onSync={() => void list.sync().catch(() => undefined)} />
        </div>
        <main>
          {/* Where the details cover the list, nothing below them is to be reached. */}
          <div class="covered" inert={selection.openKey !== undefined && !isWide}>
            <h2 class="visually-hidden">{isSearch ? t.found : t.views[route.view]}</h2>
            <Notices
              update={props.update}
              isSignedOut={sync.status === 'signed-out'}
              isGone={sync.status === 'gone'}
              isKept={session.isKept}
              duplicates={duplicates.length > preferences.duplicatesSeen ? duplicates.length : 0}
              onDuplicates={() => setOpen('duplicates')}
              onDuplicatesSeen={() => props.onPreferences({ ...preferences, duplicatesSeen: duplicates.length })}
              messages={messages.messages}
              onSignInAgain={props.onSignInAgain}
              onKeep={() => props.onKeep(true)}
              onSaveAgain={actions.saveAgain}
              onDismiss={messages.dismiss}
              onDismissAll={messages.dismissAll}
            />
            <ListPane
              items={items}
              view={route.view}
              isSearch={isSearch}
              titlesFollow={titlesFollow}
              whenEmpty={whenEmpty}
              actions={actions}
              selected={selection.selected}
              openKey={selection.openKey}
              focusRequest={selection.focusRequest}
              onOpen={selection.open}
              onSelect={selection.select}
              onMove={selection.move}
            />
          </div>
        </main>
        <aside class="detail-pane" aria-label={t.detail}>
          <Detail
            article={article ?? undefined}
            actions={actions}
            isRenaming={renaming !== undefined && renaming === selection.openKey}
            onRename={(isRenaming) => setRenaming(isRenaming ? selection.openKey : undefined)}
            onRemove={(removed) => void remove(removed)}
            onClose={selection.close}
          />
        </aside>
        <Toast done={done} onUndo={(shown) => void undo(shown)} onDismiss={() => setDone(undefined)} />
      </div>
      {open === 'add' && (
        <AddDialog
          list={list}
          initial={asked}
          onClose={() => {
            setOpen(undefined);
            if (asked) props.onSaved();
          }}
          onSave={async (save) => {
            const saved = await actions.save(save);
            setOpen(undefined);
            if (asked) props.onSaved();
            selection.select(saved.key);
          }}
        />
      )}
      {open === 'duplicates' && (
        <DuplicatesDialog groups={duplicates} actions={actions} onClose={() => setOpen(undefined)} />
      )}
      {open === 'help' && <HelpDialog {...props} onClose={() => setOpen(undefined)} />}
      {open === 'settings' && <SettingsDialog {...props} onClose={() => setOpen(undefined)} />}
      {open === 'sign-out' && (
        <SignOutDialog session={session} onConfirm={props.onSignOut} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}
