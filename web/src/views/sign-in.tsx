import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import { basicAuthorization, foreignUrl, goToProvider, type Offer, readOffer, SignInError } from '../account/service';
import type { Credentials } from '../account/session';
import { isOutOfSpace } from '../platform/failures';
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

/** What to offer while something else responds in place of the service. */
const UNKNOWN: Offer = { basic: true, tokens: true };

/** How often to ask a service that does not respond. */
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
  const [chosen, setKeep] = useState(() => keptChoice());
  const [state, setState] = useState<State>({ isBusy: false, problem, at: 'page' });
  const [unsent, setUnsent] = useState(0);
  const isBusy = useRef(false);
  const attempt = async (at: State['at'], action: () => Promise<void>) => {
    // Two clicks may come before the page is rendered again.
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ isBusy: true, at });
    try {
      // Credentials are for the service alone.
      if (!offer) setOffer(await readOffer());
      await action();
      setState({ isBusy: false, at });
    } catch (error) {
      setState({ isBusy: false, problem: problemOf(error), at });
    }
    isBusy.current = false;
  };
  const ask = () =>
    void readOffer().then(
      (found) => {
        setOffer(found);
        setAway(undefined);
        // The service responds again, and nothing else in its place.
        setState((now) => (now.problem?.reason === 'foreign' ? { ...now, problem: undefined } : now));
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
  const shown = away ?? (state.at === 'page' ? state.problem : undefined);
  const ways = offer ?? (away?.reason === 'foreign' ? UNKNOWN : undefined);
  // A name and a password may be typed on anybody's device, so that they are not kept unless the user says so.
  const isMixed = ways?.basic === true && ways.provider !== undefined;
  const keep = chosen ?? (!ways?.basic || isMixed);
  const [keepPassword, setKeepPassword] = useState(false);
  const problemAt = (at: State['at']) => (!away && state.at === at && state.problem ? textOf(state.problem) : '');
  const toProvider = (provider: string) =>
    attempt('provider', () => {
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
          <Sentence of={save.asks ? t.signIn.pendingForm : t.signIn.pending} title={save.title || save.url} />
        </p>
      )}
      {unsent > 0 && <p class="notice">{t.signIn.unsent(unsent)}</p>}
      <p class="problem" role="alert">
        {shown && textOf(shown)}
      </p>
      {away && (
        <p class="buttons">
          <button type="button" onClick={ask}>
            {t.signIn.again}
          </button>
          {away.reason === 'foreign' && (
            <a href={foreignUrl()} target="_blank" rel="noopener">
              {t.signIn.openForeign}
            </a>
          )}
        </p>
      )}
      {ways && <Keep text={isMixed ? t.signIn.stayOtherwise : t.signIn.stay} isOn={keep} onChange={setKeep} />}
      {ways?.basic && (
        <ByPassword
          isBusy={state.isBusy}
          problem={problemAt('password')}
          onSubmit={(name, password) =>
            void attempt('password', () =>
              onSignIn({
                authorization: basicAuthorization(name, password),
                label: name,
                keep: isMixed ? keepPassword : keep,
              }),
            )
          }
        >
          {isMixed && <Keep text={t.signIn.stayByName} isOn={keepPassword} onChange={setKeepPassword} />}
        </ByPassword>
      )}
      {/* After the password: where passwords are enabled, the service runs at home or in development, often without a provider. */}
      {offer?.provider !== undefined && (
        <ByProvider
          problem={problemAt('provider')}
          isFirst={!offer.basic}
          isBusy={state.isBusy}
          onGo={() => void toProvider(offer.provider!)}
        />
      )}
      {ways?.tokens && (
        <ByToken
          isOnly={!ways.basic && ways.provider === undefined}
          isBusy={state.isBusy}
          problem={problemAt('token')}
          onSubmit={(token) =>
            void attempt('token', () => onSignIn({ authorization: `Bearer ${token}`, label: '', keep }))
          }
        />
      )}
      {offer && !offer.basic && !offer.tokens && offer.provider === undefined && <p>{t.signIn.noWay}</p>}
      <p role="status">{state.isBusy ? t.signIn.checking : ''}</p>
      <Languages onLanguage={onLanguage} />
    </main>
  );
}

interface State {
  isBusy: boolean;
  problem?: SignInError;
  /** Where the problem is to be said: where the user has just done something. */
  at: 'page' | 'password' | 'provider' | 'token';
}

/** What the user chose before going to the provider. */
function keptChoice(): boolean | undefined {
  const kept = sessionStorage.getItem(KEEP);
  return kept === null ? undefined : kept !== 'no';
}

/** A failure that is not from the service is one of the list on this device. */
const problemOf = (error: unknown): SignInError =>
  error instanceof SignInError ? error : new SignInError(isOutOfSpace(error) ? 'full' : 'storage');

function textOf({ reason, message }: SignInError): string {
  if (reason === 'full' || reason === 'storage') return t.notices[reason];
  return reason === 'tokenRefused' ? t.signIn.tokenRefused(message) : t.signIn[reason];
}

/** Whether to stay signed in on this device. */
const Keep = ({
  text,
  isOn,
  onChange,
}: {
  text: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}): JSX.Element => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
    {text}
  </label>
);

/** What went wrong with a way of signing in, below its fields. */
const Problem = ({ text }: { text: string }): JSX.Element => (
  <p class="problem" role="alert">
    {text}
  </p>
);

interface ByProviderProps {
  problem: string;
  isFirst: boolean;
  isBusy: boolean;
  onGo: () => void;
}

function ByProvider({ problem, isFirst, isBusy, onGo }: ByProviderProps): JSX.Element {
  return (
    <section>
      <button type="button" class={isFirst ? 'primary' : ''} aria-disabled={isBusy} onClick={onGo}>
        {t.signIn.withProvider}
      </button>
      <p class="hint">{t.signIn.withProviderHint}</p>
      <Problem text={problem} />
    </section>
  );
}

function ByPassword({
  isBusy,
  problem,
  children,
  onSubmit,
}: {
  isBusy: boolean;
  problem: string;
  children: ComponentChildren;
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
        {children}
        <Problem text={problem} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {t.signIn.submit}
        </button>
      </form>
    </section>
  );
}

function ByToken({
  isOnly,
  isBusy,
  problem,
  onSubmit,
}: {
  isOnly: boolean;
  isBusy: boolean;
  problem: string;
  onSubmit: (token: string) => void;
}): JSX.Element {
  const [token, setToken] = useState('');
  const id = useId();
  return (
    <details open={isOnly}>
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
        <Problem text={problem} />
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
