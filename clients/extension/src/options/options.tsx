import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Preferences } from '../preferences';
import { enter, type Session } from '../session';
import { t } from '../texts';
import { Account } from './account';
import { Reading } from './reading';
import { SignIn } from './sign-in';

/** The settings: who is signed in where, and what the extension may do. */
export function Options({
  initial,
  preferences,
}: {
  initial: Session | undefined;
  preferences: Preferences;
}): JSX.Element {
  const [session, setSession] = useState(initial);
  const onSignIn = async (next: Session) => {
    await enter(next);
    setSession(next);
  };
  return (
    <>
      <h1>{t('optionsHeading')}</h1>
      {session && <Account session={session} onSignedOut={() => setSession(undefined)} />}
      <SignIn service={session?.service ?? ''} isSignedIn={session !== undefined} onSignIn={onSignIn} />
      <Reading preferences={preferences} />
    </>
  );
}
