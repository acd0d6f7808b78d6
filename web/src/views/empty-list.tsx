import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../account/session';
import { t } from '../texts';
import { Sentence } from './sentence';

interface Props {
  session: Session;
  /** Whether the service has said that there is nothing. */
  isSynced: boolean;
  onAdd: () => void;
  onStart: () => void;
}

/** A list with nothing on it: whose it is, as a mistyped name or password opens another one, and how to begin. */
export function EmptyList({ session, isSynced, onAdd, onStart }: Props): JSX.Element {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    if (!isSynced) return;
    // What was deleted is listed, too.
    const everything = session.client.page({ _since: 0, _limit: 1 });
    void everything.then(
      ({ items, startOver }) => setNew(items.length === 0 && !startOver),
      () => undefined,
    );
  }, [isSynced]);
  const isByPassword = session.credentials.authorization.startsWith('Basic ');
  return (
    <>
      {isNew && <p>{t.empty.isNew}</p>}
      {session.label && (
        <p class="hint">
          <Sentence of={t.empty.signedInAs} title={session.label} /> {isByPassword && t.empty.isOther}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={onAdd}>
          {t.empty.first}
        </button>
        <button type="button" onClick={onStart}>
          {t.empty.start}
        </button>
      </div>
    </>
  );
}
