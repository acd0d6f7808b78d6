import type { JSX } from 'preact';
import { isOutOfSpace } from '../platform/failures';
import { reasonOf, t } from '../texts';

/** Says why the list on this device cannot be opened, and lets the user try again. */
export const BrokenPage = ({ error }: { error: unknown }): JSX.Element => (
  <main class="sign-in">
    <p class="problem" role="alert">
      {isOutOfSpace(error) ? t.notices.full : t.notices.storage}
    </p>
    {!isOutOfSpace(error) && <p class="hint">{reasonOf(error)}</p>}
    <div class="buttons">
      <button type="button" onClick={() => location.reload()}>
        {t.signIn.again}
      </button>
    </div>
  </main>
);
