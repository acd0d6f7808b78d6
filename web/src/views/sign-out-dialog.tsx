import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Session } from '../account/session';
import { t } from '../texts';
import { Dialog } from './dialog';

const PATIENCE_MS = 5000;

/** Asks for confirmation before the copy on this device is deleted, and says what would be lost. */
export function SignOutDialog({
  session,
  onConfirm,
  onClose,
}: {
  session: Session;
  onConfirm: () => void;
  onClose: () => void;
}): JSX.Element {
  const [unsent, setUnsent] = useState<number>();
  useEffect(() => {
    // Send pending changes first, if that is possible within a while.
    const enough = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    void Promise.race([session.list.sync(), enough])
      .catch(() => undefined)
      .then(() => session.list.countPending())
      .then(setUnsent);
  }, [session]);
  return (
    <Dialog heading={t.signOut.heading} onClose={onClose}>
      <div class="stack">
        <p>{t.signOut.text}</p>
        {unsent === undefined && <p role="status">{t.sync.syncing}</p>}
        {!!unsent && (
          <p class="problem" role="alert">
            {t.signOut.unsent(unsent)}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="primary" disabled={unsent === undefined} onClick={onConfirm}>
            {unsent ? t.signOut.confirmUnsent : t.signOut.confirm}
          </button>
          <button type="button" autofocus onClick={onClose}>
            {t.signOut.stay}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
