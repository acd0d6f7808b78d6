import type { LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import { minutesOf, percentOf, siteOf, titleOf } from '../../../../web/src/list/article-facts';
import { IconButton } from '../../../../web/src/views/icons';
import { t } from '../texts';
import type { ActionName } from './actions';

/** The article of the page, and what can be done with it. */
export function Card({
  article,
  onAction,
}: {
  article: LocalArticle;
  onAction: (name: ActionName) => void;
}): JSX.Element {
  const { favorite, archived, unread } = article;
  const [minutes, percent] = [minutesOf(article), percentOf(article)];
  const place = archived ? 'archived' : unread ? 'unread' : 'read';
  return (
    <section class="stack" aria-labelledby="title">
      <h2 id="title" dir="auto">
        {titleOf(article)}
      </h2>
      <p class="facts">
        <bdi>{siteOf(article)}</bdi>
        <span>{t(place)}</span>
        {minutes !== undefined && <span>{t('minutes', minutes)}</span>}
        {percent !== undefined && <span>{t('progress', percent)}</span>}
      </p>
      {percent !== undefined && <progress max={100} value={percent} aria-label={t('progress', percent)} />}
      <div class="actions">
        <IconButton
          icon="star"
          filled={favorite}
          name={t(favorite ? 'unfavorite' : 'favorite')}
          aria-pressed={favorite}
          onClick={() => onAction('favorite')}
        />
        <IconButton
          icon={archived ? 'back' : 'archive'}
          name={t(archived ? 'unarchive' : 'archive')}
          onClick={() => onAction('archive')}
        />
        <IconButton
          icon="check"
          name={t(unread ? 'markRead' : 'markUnread')}
          aria-pressed={!unread}
          onClick={() => onAction('read')}
        />
        <IconButton icon="trash" name={t('remove')} onClick={() => onAction('remove')} />
      </div>
    </section>
  );
}
