import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { forgetLost, type Lost, readLost } from '../lost';
import { t } from '../texts';

/** Changes that could not be kept, until the user dismisses them. */
export function Losses(): JSX.Element {
  const [lost, setLost] = useState<Lost[]>([]);
  useEffect(() => {
    const show = () => void readLost().then(setLost);
    show();
    chrome.storage.onChanged.addListener(show);
    return () => chrome.storage.onChanged.removeListener(show);
  }, []);
  return (
    <div class="stack" role="alert">
      {lost.map(({ url, reason }) => (
        <p key={url + reason} class="problem">
          {t('notKept', url)} {reason}
        </p>
      ))}
      {lost.length > 0 && (
        <button type="button" class="quiet" onClick={() => void forgetLost()}>
          {t('dismiss')}
        </button>
      )}
    </div>
  );
}
