import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import { basicAuthorization, goToProvider, type Offer, readOffer, SignInError } from '../account/service';
import type { Credentials } from '../account/session';
import { countUnsentHere } from '../platform/keep';
import { LANGUAGES, language, t } from '../texts';
import { Sentence } from './sentence';

/** The session storage key for "stay signed in" during a login at the provider. */
export const KEEP = 'reading-list-keep';

/** The session storage key for a login at the provider that began on this page. */
const LOGIN = 'reading-list-login';

/** Whether a login began on this page, once. */
export function takeLogin(): boolean {
  const isStarted = sessionStorage.getItem(LOGIN) !== null;
  sessionStorage.removeItem(LOGIN);
  return isStarted;
}

/** How often to ask a service that does not answer. */
const RETRY_MS = 5000;

interface Props {
  /** The error that led to this page. */
  problem?: SignInError;
  save?: ToSave;
  onSignIn: (credentials: Credentials) => Promise<void>;
  onLanguage: (language: string) => void;
}

/** The sign-in page, with the ways that the service offers. */
export function SignIn({ problem, save, onSignIn, onLanguage }: Props): JSX.Element {
  const [offer, setOffer] = useState<Offer>();
  /** Why the service did not say what it offers. */
  const [away, setAway] = useState<SignInError>();
  const [keep, setKeep] = useState(sessionStorage.getItem(KEEP) !== 'no');
  const [state, setState] = useState<{ isBusy: boolean; problem?: SignInError }>({ isBusy: false, problem });
  const [unsent, setUnsent] = useState(0);
  const isBusy = useRef(false);
  const attempt = async (action: () => Promise<void>) => {
    // Two clicks may come before the page is rendered again.
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ isBusy: true });
    try {
      await action();
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, problem: error instanceof SignInError ? error : new SignInError('unreachable') });
    }
    isBusy.current = false;
  };
  const ask = () =>
    void readOffer().then(
      (found) => {
        setOffer(found);
        setAway(undefined);
      },
      (error: SignInError) => setAway(error),
    );
  useEffect(() => {
    if (offer) return;
    ask();
    const timer = setInterval(ask, RETRY_MS);
    window.addEventListener('online', ask);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', ask);
    };
  }, [offer]);
  useEffect(() => void countUnsentHere().then(setUnsent, () => undefined), []);
  const shown = away ?? state.problem;
  const toProvider = (provider: string) =>
    attempt(() => {
      sessionStorage.setItem(KEEP, keep ? 'yes' : 'no');
      sessionStorage.setItem(LOGIN, '');
      return goToProvider(provider);
    });
  return (
    <main class="sign-in">
      <header>
        <h1 tabIndex={-1}>{t.appName}</h1>
        <p>{t.tagline}</p>
      </header>
      {save && (
        <p class="notice">
          <Sentence of={t.signIn.pending} title={save.title ?? save.url} />
        </p>
      )}
      {unsent > 0 && <p class="notice">{t.signIn.unsent(unsent)}</p>}
      <p class="problem" role="alert">
        {shown && textOf(shown)}
      </p>
      {away && (
        <button type="button" onClick={ask}>
          {t.signIn.again}
        </button>
      )}
      {offer && (
        <label class="check">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
          {t.signIn.stay}
        </label>
      )}
      {offer?.basic && (
        <ByPassword
          isBusy={state.isBusy}
          onSubmit={(name, password) =>
            void attempt(() => onSignIn({ authorization: basicAuthorization(name, password), label: name, keep }))
          }
        />
      )}
      {/* After the password: where passwords are enabled, the service runs at home or in development, often without a provider. */}
      {offer?.provider !== undefined && (
        <ByProvider isFirst={!offer.basic} isBusy={state.isBusy} onGo={() => void toProvider(offer.provider!)} />
      )}
      {offer?.tokens && (
        <ByToken
          isBusy={state.isBusy}
          onSubmit={(token) =>
            void attempt(() => onSignIn({ authorization: `Bearer ${token}`, label: t.signIn.token, keep }))
          }
        />
      )}
      {offer && !offer.basic && !offer.tokens && offer.provider === undefined && <p>{t.signIn.noWay}</p>}
      <p role="status">{state.isBusy ? t.signIn.checking : ''}</p>
      <Languages onLanguage={onLanguage} />
    </main>
  );
}

const textOf = ({ reason, message }: SignInError): string =>
  reason === 'tokenRefused' ? t.signIn.tokenRefused(message) : t.signIn[reason];

interface ByProviderProps {
  isFirst: boolean;
  isBusy: boolean;
  onGo: () => void;
}

function ByProvider({ isFirst, isBusy, onGo }: ByProviderProps): JSX.Element {
  return (
    <section>
      <button type="button" class={isFirst ? 'primary' : ''} aria-disabled={isBusy} onClick={onGo}>
        {t.signIn.withProvider}
      </button>
      <p class="hint">{t.signIn.withProviderHint}</p>
    </section>
  );
}

function ByPassword({
  isBusy,
  onSubmit,
}: {
  isBusy: boolean;
  onSubmit: (name: string, password: string) => void;
}): JSX.Element {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const id = useId();
  return (
    <section>
      <h2>{t.signIn.withPassword}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(name, password);
        }}
      >
        <label>
          {t.signIn.name}
          <input
            autoComplete="username"
            required
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          {t.signIn.password}
          <input
            type="password"
            autoComplete="current-password"
            aria-describedby={`${id}-hint`}
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </label>
        <small id={`${id}-hint`}>{t.signIn.passwordHint}</small>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {t.signIn.submit}
        </button>
      </form>
    </section>
  );
}

function ByToken({ isBusy, onSubmit }: { isBusy: boolean; onSubmit: (token: string) => void }): JSX.Element {
  const [token, setToken] = useState('');
  const id = useId();
  return (
    <details>
      <summary>{t.signIn.withToken}</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(token.trim());
        }}
      >
        <label>
          {t.signIn.token}
          <input
            type="password"
            autoComplete="off"
            required
            pattern="[!-~\s]+"
            aria-describedby={id}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <small id={id}>{t.signIn.tokenHint}</small>
        <button type="submit" aria-disabled={isBusy}>
          {t.signIn.submit}
        </button>
      </form>
    </details>
  );
}

function Languages({ onLanguage }: Pick<Props, 'onLanguage'>): JSX.Element {
  return (
    <p class="languages">
      {Object.entries(LANGUAGES).map(([code, { language: name }]) => (
        <button
          type="button"
          class="quiet"
          key={code}
          lang={code}
          aria-pressed={code === language()}
          onClick={() => onLanguage(code)}
        >
          {name}
        </button>
      ))}
    </p>
  );
}
