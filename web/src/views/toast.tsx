import type { JSX } from 'preact';
import type { Done } from '../list/actions';
import { t } from '../texts';
import { Sentence } from './sentence';

interface Props {
  done: Done | undefined;
  onUndo: (done: Done) => void;
  onDismiss: () => void;
}

/** A title that would leave too little of the sentence in sight on a phone; the group is what is shown of it. */
const LONG = /^(.{30,48}\S).{9,}/su;

/** The last action. It stays, so that nobody has to read against the clock. */
export function Toast({ done, onUndo, onDismiss }: Props): JSX.Element {
  return (
    <div class={`toast${done ? '' : ' is-empty'}`}>
      <p role="status">
        {done && <Sentence key={done} of={done.text} title={done.title?.replace(LONG, '$1…') ?? ''} />}
      </p>
      {done?.undo && (
        <button type="button" class="quiet" onClick={() => onUndo(done)}>
          {t.undo}
        </button>
      )}
      {done && (
        <button type="button" class="quiet" aria-label={t.dismiss} onClick={onDismiss}>
          ×
        </button>
      )}
    </div>
  );
}
