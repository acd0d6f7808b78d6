import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../session';
import { t, type TextName } from '../texts';
import {
  basicAuthorization,
  hostPattern,
  type Offer,
  readOffer,
  redirectDomain,
  serviceUrl,
  signIn,
  signInAtProvider,
  SignInError,
} from './service';

/** Asks for the service, then for the way of signing in there. */
export function SignIn({
  service: before,
  isSignedIn,
  onSignIn,
}: {
  service: string;
  isSignedIn: boolean;
  onSignIn: (session: Session) => Promise<void>;
}): JSX.Element {
  const [address, setAddress] = useState(before);
  const [found, setFound] = useState<{ service: string; offer: Offer }>();
  const [problem, setProblem] = useState<TextName>();
  const [isBusy, setBusy] = useState(false);

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof SignInError ? error.text : 'unreachable');
    } finally {
      setBusy(false);
    }
  };
  const connect = async () => {
    setFound(undefined);
    const service = serviceUrl(address);
    if (service === undefined) throw new SignInError('notAnAddress');
    // Before anything else is waited for: browsers ask only in response to a click.
    const isAllowed = await chrome.permissions.request({ origins: [hostPattern(service)] });
    if (!isAllowed) throw new SignInError('notAllowed');
    setFound({ service, offer: await readOffer(service) });
  };
  const enter = (service: string, authorization: string, name?: string) =>
    attempt(async () => {
      await onSignIn(await signIn(service, authorization, name));
      setFound(undefined);
    });
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt(connect);
  };
  return (
    <section class="stack" aria-labelledby="sign-in">
      <h2 id="sign-in">{t(isSignedIn ? 'signInAgain' : 'signIn')}</h2>
      <form class="stack" onSubmit={submit} noValidate>
        <label>
          {t('service')}
          <input
            type="url"
            placeholder="https://list.example.com"
            autoComplete="url"
            spellcheck={false}
            required
            aria-describedby="service-hint sign-in-problem"
            value={address}
            onInput={(event) => setAddress(event.currentTarget.value)}
          />
        </label>
        <small id="service-hint">{t('serviceHint')}</small>
        <button type="submit" class="primary" disabled={isBusy}>
          {t('connect')}
        </button>
      </form>
      <p id="sign-in-problem" class="problem" role="alert">
        {problem && t(problem)}
      </p>
      <p role="status">{isBusy && t('signingIn')}</p>
      {found && <Ways {...found} onEnter={enter} attempt={attempt} />}
    </section>
  );
}

function Ways({
  service,
  offer,
  onEnter,
  attempt,
}: {
  service: string;
  offer: Offer;
  onEnter: (service: string, authorization: string, name?: string) => Promise<void>;
  attempt: (work: () => Promise<void>) => Promise<void>;
}): JSX.Element {
  const { provider, basic, tokens } = offer;
  const toProvider = (name: string) => attempt(async () => onEnter(service, await signInAtProvider(service, name)));
  return (
    <>
      {!provider && !basic && !tokens && <p>{t('noWay')}</p>}
      {provider !== undefined && (
        <div class="stack">
          <button type="button" class="primary" onClick={() => void toProvider(provider)}>
            {t('signInProvider')}
          </button>
          <small>{t('redirectDomain', redirectDomain())}</small>
        </div>
      )}
      {basic && (
        <Form
          heading="withPassword"
          fields={['userName', 'password']}
          onSubmit={(name, password) => onEnter(service, basicAuthorization(name, password), name)}
        />
      )}
      {tokens && (
        <Form
          heading="withToken"
          hint="tokenHint"
          fields={['withToken']}
          onSubmit={(token) => onEnter(service, `Bearer ${token.trim()}`)}
        />
      )}
    </>
  );
}

function Form({
  heading,
  hint,
  fields,
  onSubmit,
}: {
  heading: TextName;
  hint?: TextName;
  fields: TextName[];
  onSubmit: (first: string, second: string) => Promise<void>;
}): JSX.Element {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const values = [...new FormData(event.currentTarget as HTMLFormElement).values()].map(String);
    void onSubmit(values[0] ?? '', values[1] ?? '');
  };
  return (
    <form class="stack" onSubmit={submit} aria-labelledby={heading}>
      <h3 id={heading}>{t(heading)}</h3>
      {fields.map((name) => (
        <label key={name}>
          {t(name)}
          {name === 'userName' ? (
            <input name={name} autoComplete="username" required />
          ) : (
            <input name={name} type="password" autoComplete="off" required />
          )}
        </label>
      ))}
      {hint && <small>{t(hint)}</small>}
      <button type="submit">{t('signIn')}</button>
    </form>
  );
}
