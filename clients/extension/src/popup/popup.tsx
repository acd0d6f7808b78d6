import type { LocalArticle, ReadingList } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { siteOf, titleOf } from '../../../../web/src/list/article-facts';
import { AWAY, webLink } from '../../../../web/src/platform/links';
import { ask } from '../messages';
import { articleOf, pageUrl } from '../pages';
import { t } from '../texts';
import { ACTIONS, type ActionName, type Done } from './actions';
import { Card } from './card';
import { Footer } from './footer';
import { Losses } from './losses';

const UNREAD_SHOWN = 5;

/** What the user is told: the state of the page, or what was done last. */
type Notice = { text: string; undo?: () => Promise<unknown> };

/** Saves the page, and shows it with what can be done about it, and what else there is to read. */
export function Popup({
  list,
  tab,
  service,
}: {
  list: ReadingList;
  tab: chrome.tabs.Tab | undefined;
  service: string;
}): JSX.Element {
  const url = pageUrl(tab?.url);
  const [notice, setNotice] = useState<Notice>({ text: t('saving') });
  const [article, setArticle] = useState<LocalArticle>();
  const [unread, setUnread] = useState<LocalArticle[]>([]);
  const fail = (error: unknown) => setNotice({ text: t('failed', error instanceof Error ? error.message : '') });

  useEffect(() => {
    const show = () => void (url !== undefined && articleOf(list, url).then(setArticle));
    const stops = [
      list.on('change', show),
      list.subscribe({ unread: true, archived: false, limit: UNREAD_SHOWN + 1 }, setUnread),
    ];
    show();
    void save(tab).then(setNotice, fail);
    return () => stops.forEach((stop) => stop());
  }, []);

  const act = (name: ActionName) => {
    if (article)
      void ACTIONS[name](list, article).then(({ text, undo }: Done) => setNotice({ text: t(text), undo }), fail);
  };
  const undo = () => void notice.undo?.().then(() => setNotice({ text: t('undone') }), fail);
  const others = unread.filter(({ key }) => key !== article?.key).slice(0, UNREAD_SHOWN);
  return (
    <>
      <h1 class={article ? 'visually-hidden' : undefined}>{t('name')}</h1>
      <Losses />
      {article && <Card article={article} onAction={act} />}
      <div class="done">
        <p role="status">{notice.text}</p>
        {notice.undo && (
          <button type="button" class="quiet" onClick={undo}>
            {t('undo')}
          </button>
        )}
      </div>
      <section class="unread" aria-labelledby="unread">
        <h2 id="unread">{t('unread')}</h2>
        {others.length === 0 && <p class="hint">{t('nothingUnread')}</p>}
        <ul>
          {others.map((other) => (
            <li key={other.key}>
              <a href={webLink(other.url)} {...AWAY} dir="auto">
                {titleOf(other)} <small>{siteOf(other)}</small>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Footer list={list} service={service} />
    </>
  );
}

/** Has the background save the page: it goes on when the popup closes. */
async function save(tab: chrome.tabs.Tab | undefined): Promise<Notice> {
  if (tab?.id === undefined) return { text: t('cannotSave') };
  const saved = await ask({ do: 'save', tabId: tab.id });
  if ('problem' in saved) return { text: saved.problem };
  return { text: t(saved.isNew ? 'saved' : 'alreadyThere') };
}
