import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Entrance, forgetSave } from '../account/entrance';
import { readAccount, SignInError } from '../account/service';
import {
  type Credentials,
  enter,
  openElsewhere,
  openSession,
  presentAccount,
  type Session,
  setKept,
  signIn,
  signOut,
  suspend,
  watchTabs,
} from '../account/session';
import { type KeptSession, readKeptSession } from '../platform/keep';
import { type Preferences, readPreferences, writePreferences } from '../platform/preferences';
import { PART_GONE, reloadFresh } from '../platform/failures';
import { watchUpdates } from '../platform/updates';
import { setLanguage, t } from '../texts';
import { forgetDraft } from './add-dialog';
import { ListPage } from './list-page';
import { KEEP, SignIn, takeLogin } from './sign-in';
import { BrokenPage } from './broken-page';
import { SwitchPage } from './switch-page';

type State =
  | { at: 'opening' }
  | { at: 'sign-in'; problem?: SignInError }
  | { at: 'asking'; enter: () => Promise<Session>; kept?: KeptSession }
  | { at: 'list'; session: Session }
  | { at: 'broken'; error: unknown };

interface InstallPrompt extends Event {
  prompt(): Promise<void>;
}

/** The application: the list if signed in, otherwise the sign-in page. */
export function App({ entrance }: { entrance: Entrance }): JSX.Element {
  const [state, setState] = useState<State>({ at: 'opening' });
  const [preferences, setPreferences] = useState(readPreferences);
  const [save, setSave] = useState(entrance.save);
  const [update, setUpdate] = useState<() => void>();
  const install = useInstallPrompt();
  setLanguage(preferences.language);

  useEffect(() => watchUpdates((apply) => setUpdate(() => apply)), []);
  useEffect(() => {
    const offer = () => setUpdate((apply) => apply ?? (() => void reloadFresh()));
    window.addEventListener(PART_GONE, offer);
    return () => window.removeEventListener(PART_GONE, offer);
  }, []);
  useEffect(() => {
    document.title = t.appName;
  }, [preferences.language]);
  useEffect(() => void begin(entrance).then(setState), []);

  /** Nothing of the account may stay behind for the next user. */
  const leave = () => {
    forgetSave();
    forgetDraft();
    history.replaceState(null, '', location.pathname);
    setSave(undefined);
    setState({ at: 'sign-in' });
  };
  useEffect(() => (state.at === 'list' ? watchTabs(state.session, leave) : undefined), [state]);

  const prefer = (next: Preferences) => {
    writePreferences(next);
    setPreferences(next);
  };
  // What another tab sets; to store the older value again would undo it.
  useEffect(() => {
    const follow = () => setPreferences(readPreferences());
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, []);
  const onSignIn = async (credentials: Credentials) => {
    // A login that was begun on this page was given up.
    takeLogin();
    setState({ at: 'list', session: await signIn(credentials) });
  };

  switch (state.at) {
    case 'opening':
      return <p class="opening">{t.sync.starting}</p>;
    case 'asking': {
      const { enter, kept } = state;
      const show = (opening: Promise<Session>) => {
        // So that the question cannot be answered twice.
        setState({ at: 'opening' });
        void opening.then(
          (session) => setState({ at: 'list', session }),
          (error: unknown) => setState({ at: 'broken', error }),
        );
      };
      return (
        <SwitchPage
          onSwitch={() => show(enter())}
          onStay={() => (kept ? show(openSession(kept)) : setState({ at: 'sign-in' }))}
        />
      );
    }
    case 'broken':
      return <BrokenPage error={state.error} />;
    case 'sign-in':
      return (
        <SignIn
          problem={state.problem}
          save={save}
          onSignIn={onSignIn}
          onLanguage={(language) => prefer({ ...preferences, language })}
        />
      );
    default: {
      const { session } = state;
      return (
        <ListPage
          key={session.account}
          session={session}
          preferences={preferences}
          save={save}
          startsWithAdd={entrance.add ?? false}
          update={update}
          install={install}
          onSaved={() => {
            forgetSave();
            setSave(undefined);
          }}
          onPreferences={prefer}
          onKeep={(keep) => void setKept(session, keep).then((next) => setState({ at: 'list', session: next }))}
          onSignInAgain={() => void suspend(session).then(() => setState({ at: 'sign-in' }))}
          onSignOut={() => void signOut(session).then(leave)}
        />
      );
    }
  }
}

/** The initial state: the user of the token in the URL, otherwise the one who stayed signed in, otherwise nobody. */
async function begin({ token }: Entrance): Promise<State> {
  try {
    const isExpected = takeLogin();
    const kept = await readKeptSession();
    if (token) return await beginWith(token, isExpected && token.kind === 'login', kept);
    return kept ? { at: 'list', session: await openSession(kept) } : { at: 'sign-in' };
  } catch (error) {
    if (!(error instanceof SignInError)) return { at: 'broken', error };
    // Nobody typed it, so that nobody can have misspelt it.
    const isLink = token !== undefined && error.reason === 'refused';
    return { at: 'sign-in', problem: isLink ? new SignInError('linkRefused') : error };
  }
}

/**
 * The state for a token in the URL. Anybody can make a link that opens their own list, to get what somebody else saves: so
 * whoever is signed in already is asked first.
 * @param isWanted whether it comes from a login that began on this page
 */
async function beginWith(
  { value }: NonNullable<Entrance['token']>,
  isWanted: boolean,
  kept: KeptSession | undefined,
): Promise<State> {
  const keep = isWanted && sessionStorage.getItem(KEEP) !== 'no';
  const credentials = { authorization: `Bearer ${value}`, label: '', keep };
  const { account, name } = await readAccount(credentials.authorization);
  const present = kept?.account ?? presentAccount.recall() ?? (await openElsewhere());
  if (present !== undefined && present !== account && !isWanted)
    return { at: 'asking', kept, enter: () => enter(account, { ...credentials, label: name }) };
  return { at: 'list', session: await enter(account, { ...credentials, label: name }) };
}

/** Keeps the browser's one-time install prompt until the user asks for it. */
function useInstallPrompt(): (() => void) | undefined {
  const [offer, setOffer] = useState<InstallPrompt>();
  useEffect(() => {
    const hold = (event: Event) => {
      event.preventDefault();
      setOffer(event as InstallPrompt);
    };
    window.addEventListener('beforeinstallprompt', hold);
    return () => window.removeEventListener('beforeinstallprompt', hold);
  }, []);
  return offer && (() => void offer.prompt().then(() => setOffer(undefined)));
}
