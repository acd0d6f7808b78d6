import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import { presentAccount } from '../account/session';
import { webLink } from '../platform/links';
import { reasonOf, t } from '../texts';
import { Dialog } from './dialog';

const DRAFT = 'reading-list-draft';

/** The form to save an article. Its contents survive a reload of the page. */
export function AddDialog({
  onSave,
  onClose,
}: {
  onSave: (save: ToSave) => Promise<void>;
  onClose: () => void;
}): JSX.Element {
  const [draft, setDraft] = useState(readDraft);
  const [problem, setProblem] = useState('');
  const url = useRef<HTMLInputElement>(null);
  const change = (changed: Partial<typeof draft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    sessionStorage.setItem(DRAFT, JSON.stringify({ ...next, account: presentAccount.recall() }));
  };
  const refuse = (reason: string) => {
    setProblem(reason);
    url.current!.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const address = withScheme(draft.url.trim());
    if (webLink(address) === undefined) return refuse(t.notAnAddress);
    try {
      await onSave({ url: address, title: draft.title.trim() || undefined });
      forgetDraft();
    } catch (error) {
      refuse(t.notices.failed(reasonOf(error)));
    }
  };
  return (
    <Dialog heading={t.add} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)} noValidate>
        <label>
          {t.url}
          <input
            ref={url}
            type="url"
            inputMode="url"
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            required
            autofocus
            aria-invalid={problem !== ''}
            aria-describedby="add-problem"
            value={draft.url}
            onInput={(event) => change({ url: event.currentTarget.value })}
          />
        </label>
        <label>
          {t.titleOptional}
          <input
            autoComplete="off"
            dir="auto"
            maxLength={1024}
            aria-describedby="add-hint"
            value={draft.title}
            onInput={(event) => change({ title: event.currentTarget.value })}
          />
        </label>
        <small id="add-hint">{t.titleHint}</small>
        <p id="add-problem" class="problem" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary">
          {t.save}
        </button>
      </form>
    </Dialog>
  );
}

export const forgetDraft = () => sessionStorage.removeItem(DRAFT);

/** Adds the scheme that browsers hide, for URLs such as "example.com/article". */
const withScheme = (text: string): string =>
  /^[^\s.:/?#@]+(\.[^\s.:/?#@]+)+(:\d+)?([/?#]|$)/.test(text) ? `https://${text}` : text;

/** What the same user typed before. */
function readDraft(): { url: string; title: string } {
  const empty = { url: '', title: '' };
  try {
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? '{}') as Partial<typeof empty & { account: string }>;
    return draft.account === presentAccount.recall() ? { ...empty, ...draft } : empty;
  } catch {
    return empty;
  }
}
