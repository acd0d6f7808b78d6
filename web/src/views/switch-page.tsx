import type { JSX } from 'preact';
import { t } from '../texts';

/** Asks whether a link may open another list than the one of the user who is signed in. */
export const SwitchPage = ({ onSwitch, onStay }: { onSwitch: () => void; onStay: () => void }): JSX.Element => (
  <main class="sign-in">
    <h1 tabIndex={-1}>{t.switching.heading}</h1>
    <p>{t.switching.text}</p>
    <div class="buttons">
      <button type="button" class="primary" onClick={onStay}>
        {t.switching.stay}
      </button>
      <button type="button" onClick={onSwitch}>
        {t.switching.go}
      </button>
    </div>
  </main>
);
