import type { LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import type { Actions } from '../list/actions';
import { minutesOf, percentOf, siteOf, titleOf } from '../list/article-facts';
import { awaitsTitle } from '../list/resolver';
import { placeOf, routeHash, type View } from '../list/view';
import { AWAY, webLink } from '../platform/links';
import { formatDate, t } from '../texts';
import { Icon, IconButton } from './icons';
import { Picture } from './picture';

interface Props {
  article: LocalArticle;
  view: View;
  /** Whether it was found by a search, and may be anywhere. */
  isFound: boolean;
  /** Whether titles of bare URLs follow. */
  titlesFollow: boolean;
  actions: Actions;
  index: number;
  count: number;
  top: number;
  isSelected: boolean;
  isOpen: boolean;
  onOpen: (key: string) => void;
  onSelect: (key: string) => void;
}

/** One row of the list. Tab reaches only the selected one; the keys j and k move between rows. */
export function Row(props: Props): JSX.Element {
  const { article, view, index, count, top, isSelected, isOpen, onOpen } = props;
  const title = titleOf(article);
  return (
    <li
      class={`row${article.unread ? ' unread' : ''}${isOpen ? ' open' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-key={article.key}
      onFocusCapture={() => props.onSelect(article.key)}
    >
      <a
        class="row-main"
        href={routeHash({ view, key: article.key })}
        tabIndex={isSelected ? 0 : -1}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          // In another tab or window.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(article.key);
        }}
      >
        <span class="row-title" dir="auto">
          {title}
        </span>
        <Facts article={article} isFound={props.isFound} titlesFollow={props.titlesFollow} />
      </a>
      <Picture article={article} />
      <RowActions {...props} title={title} />
      <Progress article={article} />
    </li>
  );
}

function Facts({ article, isFound, titlesFollow }: Pick<Props, 'article' | 'isFound' | 'titlesFollow'>): JSX.Element {
  const [minutes, percent] = [minutesOf(article), percentOf(article)];
  return (
    <span class="row-facts">
      {isFound ? (
        <span class="place">{t.views[placeOf(article)]}</span>
      ) : (
        article.unread && <span class="visually-hidden">{t.views.unread}</span>
      )}
      <bdi class="site">{siteOf(article)}</bdi>
      {article.pending && <span class="pending">{t.waiting}</span>}
      {titlesFollow && awaitsTitle(article, Date.now()) && <span class="pending">{t.titleFollows}</span>}
      <span>{formatDate(article.added_on)}</span>
      {minutes !== undefined && <span>{t.minutes(minutes)}</span>}
      {percent !== undefined && <span>{t.progress(percent)}</span>}
      {!article.word_count && article.read_position > 0 && <span>{t.atWord(article.read_position)}</span>}
    </span>
  );
}

function RowActions({ article, actions, isSelected, title }: Props & { title: string }): JSX.Element {
  const href = webLink(article.url);
  const tabIndex = isSelected ? 0 : -1;
  const named = (action: string) => t.unnamed(title, action);
  return (
    <span class="row-actions">
      <IconButton
        icon="star"
        filled={article.favorite}
        name={named(article.favorite ? t.unfavorite : t.favorite)}
        aria-pressed={article.favorite}
        tabIndex={tabIndex}
        onClick={() => void actions.toggleFavorite(article)}
      />
      <IconButton
        icon={article.archived ? 'back' : 'archive'}
        name={named(article.archived ? t.unarchive : t.archive)}
        tabIndex={tabIndex}
        onClick={() => void actions.toggleArchived(article)}
      />
      {href !== undefined && (
        <a class="icon-button" href={href} {...AWAY} tabIndex={tabIndex} aria-label={t.openNamed(title)} title={t.open}>
          <Icon name="open" />
        </a>
      )}
    </span>
  );
}

function Progress({ article }: { article: LocalArticle }): JSX.Element | null {
  const percent = percentOf(article);
  return percent === undefined ? null : (
    <span class="row-progress" style={{ inlineSize: `${percent}%` }} aria-hidden="true" />
  );
}
