import { type LocalArticle, MAX_LENGTHS } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Actions } from '../list/actions';
import { minutesOf, siteOf, titleOf } from '../list/article-facts';
import { AWAY, webLink } from '../platform/links';
import { formatDate, t } from '../texts';
import { Icon, IconButton } from './icons';
import { Picture } from './picture';

interface Props {
  article: LocalArticle | undefined;
  actions: Actions;
  isRenaming: boolean;
  onRename: (isRenaming: boolean) => void;
  onRemove: (article: LocalArticle) => void;
  onClose: () => void;
}

/** The details of an article, and all actions on it. */
export function Detail(props: Props): JSX.Element {
  const { article, onClose } = props;
  if (!article) return <p class="detail-empty">{t.noSelection}</p>;
  return (
    <article class="detail" aria-labelledby="detail-title">
      <div class="detail-back">
        <IconButton icon="back" name={t.backToList} onClick={onClose} />
      </div>
      <Heading {...props} article={article} />
      <Picture article={article} />
      <ReadLink article={article} />
      <Position key={article.key} article={article} actions={props.actions} />
      <DetailActions {...props} article={article} />
      {article.excerpt && (
        <p class="excerpt" dir="auto">
          {article.excerpt}
        </p>
      )}
      <History article={article} />
    </article>
  );
}

type WithArticle = Props & { article: LocalArticle };

function Heading({ article, actions, isRenaming, onRename }: WithArticle): JSX.Element {
  const title = titleOf(article);
  if (isRenaming) return <RenameForm article={article} actions={actions} onDone={() => onRename(false)} />;
  return (
    <h2 id="detail-title" dir="auto" tabIndex={-1}>
      {title}
    </h2>
  );
}

function RenameForm({
  article,
  actions,
  onDone,
}: {
  article: LocalArticle;
  actions: Actions;
  onDone: () => void;
}): JSX.Element {
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement;
    input.current!.focus();
    input.current!.select();
    return () => before.focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    void actions.rename(article, input.current!.value.trim());
    onDone();
  };
  return (
    <form class="rename" onSubmit={submit}>
      <h2 id="detail-title" class="visually-hidden">
        {titleOf(article)}
      </h2>
      <div class="stack">
        <label for="rename-title">{t.title}</label>
        <textarea
          id="rename-title"
          ref={input}
          rows={3}
          maxLength={MAX_LENGTHS.title}
          dir="auto"
          defaultValue={article.title ?? ''}
          onKeyDown={(event) => {
            // These keys are the input method's while it composes a text.
            if (event.isComposing) return;
            if (event.key === 'Enter') submit(event);
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            onDone();
          }}
        />
      </div>
      <div class="buttons">
        <button type="submit" class="primary">
          {t.save}
        </button>
        <button type="button" onClick={onDone}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}

function ReadLink({ article }: { article: LocalArticle }): JSX.Element {
  const href = webLink(article.url);
  const minutes = minutesOf(article);
  return (
    <p class="read-link">
      {href === undefined ? (
        <span class="address" dir="ltr">
          {article.url}
          <small>{t.notLinked}</small>
        </span>
      ) : (
        <a class="primary" href={href} {...AWAY}>
          <Icon name="open" />
          <span>{t.open}</span>
        </a>
      )}
      <span class="facts">
        <bdi>{siteOf(article)}</bdi>
        {minutes !== undefined && <span> · {t.minutes(minutes)}</span>}
      </span>
    </p>
  );
}

function Position({ article, actions }: { article: LocalArticle; actions: Actions }): JSX.Element | null {
  const { word_count: words, read_position: position } = article;
  const [shown, setShown] = useState(position);
  useEffect(() => setShown(position), [position]);
  if (!article.unread) return null;
  if (!words) return position > 0 ? <p class="facts">{`${t.position}: ${t.atWord(position)}`}</p> : null;
  const commit = (value: number) => {
    setShown(Math.max(value, position));
    void actions.readUpTo(article, value);
  };
  return (
    <div class="position">
      <label for="position">{t.position}</label>
      <input
        id="position"
        type="range"
        min={0}
        max={words}
        step={Math.max(1, Math.round(words / 100))}
        value={Math.min(shown, words)}
        aria-valuetext={t.positionOf(Math.min(shown, words), words)}
        aria-describedby="position-hint"
        onInput={(event) => setShown(Number(event.currentTarget.value))}
        onChange={(event) => commit(Number(event.currentTarget.value))}
      />
      <output for="position">{t.positionOf(Math.min(shown, words), words)}</output>
      <small id="position-hint">{t.positionHint}</small>
    </div>
  );
}

function DetailActions({ article, actions, onRename, onRemove }: WithArticle): JSX.Element {
  const button = (name: string, icon: Parameters<typeof Icon>[0]['name'], action: () => unknown, filled = false) => (
    <button type="button" onClick={() => void action()}>
      <Icon name={icon} filled={filled} />
      <span>{name}</span>
    </button>
  );
  return (
    <div class="detail-actions">
      {button(article.unread ? t.markRead : t.markUnread, 'check', () => actions.toggleRead(article))}
      {button(article.archived ? t.unarchive : t.archive, 'archive', () => actions.toggleArchived(article))}
      {button(
        article.favorite ? t.unfavorite : t.favorite,
        'star',
        () => actions.toggleFavorite(article),
        article.favorite,
      )}
      {button(t.rename, 'edit', () => onRename(true))}
      {button(t.remove, 'trash', () => onRemove(article))}
    </div>
  );
}

function History({ article }: { article: LocalArticle }): JSX.Element {
  const { unread, marked_read_on: readOn, marked_read_by: readBy } = article;
  return (
    <p class="history">
      <bdi>{t.addedOn(formatDate(article.added_on), article.added_by)}</bdi>
      {!unread && <bdi>{readOn ? t.readOn(formatDate(readOn), readBy ?? '') : t.readHere}</bdi>}
      <span class="address" dir="ltr">
        {article.url}
      </span>
    </p>
  );
}
