import { type LocalArticle, MAX_LENGTHS, type ReadingList } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToSave } from '../account/entrance';
import { presentAccount } from '../account/session';
import { titleOf } from '../list/article-facts';
import { canonicalOf, cleanAddress } from '../list/canonical';
import { webLink } from '../platform/links';
import { reasonOf, t } from '../texts';
import { Dialog } from './dialog';
import { Sentence } from './sentence';

const DRAFT = 'reading-list-draft';

/** The form to save an article. Its contents survive a reload of the page. */
export function AddDialog({
  list,
  initial,
  onSave,
  onClose,
}: {
  list: ReadingList;
  /** What a link or a share sheet brings, instead of what was typed before. */
  initial?: ToSave;
  onSave: (save: ToSave) => Promise<void>;
  onClose: () => void;
}): JSX.Element {
  const [draft, setDraft] = useState(() => (initial ? { url: initial.url, title: initial.title ?? '' } : readDraft()));
  const address = withScheme(draft.url.trim());
  const clean = cleanAddress(address);
  const same = useSame(list, address);
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
        {clean !== address && (
          <p class="hint">
            {t.tracking} <bdi class="address">{clean}</bdi>.{' '}
            <button type="button" class="quiet" onClick={() => change({ url: clean })}>
              {t.useClean}
            </button>
          </p>
        )}
        {same && (
          <p class="hint" role="status">
            <Sentence of={t.sameThere} title={titleOf(same)} />
          </p>
        )}
        <label>
          {t.titleOptional}
          <input
            autoComplete="off"
            dir="auto"
            maxLength={MAX_LENGTHS.title}
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

/** The article on the list that most likely is the page at this address. */
function useSame(list: ReadingList, address: string): LocalArticle | undefined {
  const [same, setSame] = useState<LocalArticle>();
  useEffect(() => {
    if (webLink(address) === undefined) return setSame(undefined);
    const name = canonicalOf(address);
    let isCurrent = true;
    void list.list().then((articles) => {
      if (isCurrent) setSame(articles.find(({ url }) => canonicalOf(url) === name));
    });
    return () => {
      isCurrent = false;
    };
  }, [list, address]);
  return same;
}

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
