import type { LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import type { Actions } from '../list/actions';
import { titleOf } from '../list/article-facts';
import { placeOf } from '../list/view';
import { t } from '../texts';
import { Dialog } from './dialog';

const SHOWN = 50;

interface Props {
  groups: LocalArticle[][];
  actions: Actions;
  onClose: () => void;
}

/** Articles that are most likely the same page: the user may delete some of them. */
export const DuplicatesDialog = ({ groups, actions, onClose }: Props): JSX.Element => (
  <Dialog heading={t.duplicates.heading} onClose={onClose} wide>
    <p class="hint">{groups.length > 0 ? t.duplicates.hint : t.duplicates.none}</p>
    {groups.slice(0, SHOWN).map((group) => (
      <ul class="duplicates" key={group[0]!.key}>
        {group.map((article) => (
          <li key={article.key}>
            <div>
              <bdi>{titleOf(article)}</bdi> <small>{t.views[placeOf(article)]}</small>
              <span class="address" dir="ltr">
                {article.url}
              </span>
            </div>
            <button
              type="button"
              aria-label={t.unnamed(article.url, t.remove)}
              onClick={() => void actions.remove(article)}
            >
              {t.remove}
            </button>
          </li>
        ))}
      </ul>
    ))}
  </Dialog>
);
