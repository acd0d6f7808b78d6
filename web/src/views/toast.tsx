import type { JSX } from 'preact';
import type { Done } from '../list/actions';
import { t } from '../texts';
import { Sentence } from './sentence';

interface Props {
  done: Done | undefined;
  onUndo: () => void;
  onDismiss: () => void;
}

/** Characters of a title that leave the sentence around it in sight, even on a phone. */
const MAX_TITLE = 50;

/** The last action. It stays, so that nobody has to read against the clock. */
export function Toast({ done, onUndo, onDismiss }: Props): JSX.Element {
  return (
    <div class={`toast${done ? '' : ' is-empty'}`}>
      <p role="status">{done && <Sentence key={done} of={done.text} title={shortened(done.title ?? '')} />}</p>
      {done?.undo && (
        <button type="button" class="quiet" onClick={onUndo}>
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

/** A title of at most `MAX_TITLE` characters, which ends with a whole word unless that is very long. */
function shortened(title: string): string {
  const characters = [...title];
  if (characters.length <= MAX_TITLE) return title;
  return `${characters
    .slice(0, MAX_TITLE - 1)
    .join('')
    .replace(/[\s,;:]+\S{0,15}$/, '')}…`;
}
