import type { ReadingList } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AWAY } from '../../../../web/src/platform/links';
import { t } from '../texts';

const TEXTS = {
  idle: 'upToDate',
  syncing: 'syncing',
  offline: 'offline',
  'signed-out': 'signedOut',
  gone: 'gone',
} as const;

/** Whether the service has everything, and ways to other pages. */
export function Footer({ list, service }: { list: ReadingList; service: string }): JSX.Element {
  const [status, setStatus] = useState(list.status);
  const [unsent, setUnsent] = useState(0);
  useEffect(() => {
    const count = () => void list.countPending().then(setUnsent);
    const stops = [list.on('status', setStatus), list.on('change', count)];
    count();
    return () => stops.forEach((stop) => stop());
  }, [list]);
  const waiting = unsent === 1 ? t('unsentOne') : unsent > 0 ? t('unsent', unsent) : '';
  // There is no error, but "up to date" would not be true either.
  const state = waiting && status === 'idle' ? '' : t(TEXTS[status]);
  return (
    <footer>
      <p role="status">{[state, waiting].filter(Boolean).join(' · ')}</p>
      <div class="buttons">
        <a class="quiet" href={`${service}/app/`} {...AWAY}>
          {t('openList')}
        </a>
        <button type="button" class="quiet" onClick={() => void chrome.runtime.openOptionsPage()}>
          {t(status === 'signed-out' ? 'signInAgain' : 'openSettings')}
        </button>
      </div>
    </footer>
  );
}
