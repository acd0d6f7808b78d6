import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { countUnsent, type Session, signOut } from '../session';
import { t } from '../texts';

/** Who is signed in, and the way out, which asks once more if it would lose something. */
export function Account({ session, onSignedOut }: { session: Session; onSignedOut: () => void }): JSX.Element {
  const [unsent, setUnsent] = useState(0);
  const leave = async () => {
    const waiting = unsent > 0 ? 0 : await countUnsent(session);
    if (waiting > 0) return setUnsent(waiting);
    await signOut(session);
    onSignedOut();
  };
  return (
    <section class="stack" aria-labelledby="account">
      <h2 id="account">
        {session.name ? t('signedInAs', session.name) : t('signedIn')} <small>{t('at', session.service)}</small>
      </h2>
      <p class="hint">{t('signOutHint')}</p>
      <p class="problem" role="alert">
        {unsent > 0 && t('signOutUnsent', unsent)}
      </p>
      <button type="button" onClick={() => void leave()}>
        {t(unsent > 0 ? 'signOutAnyway' : 'signOut')}
      </button>
    </section>
  );
}
