import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Preferences, writePreferences } from '../preferences';
import { t } from '../texts';

export const EVERYWHERE = { origins: ['http://*/*', 'https://*/*'] };

/** What the extension does in saved pages, and what it is called there. */
export function Reading({ preferences }: { preferences: Preferences }): JSX.Element {
  const [remembers, setRemembers] = useState(preferences.remembersPositions);
  const [device, setDevice] = useState(preferences.device);
  const change = async (wanted: boolean) => {
    const isAllowed = wanted && (await chrome.permissions.request(EVERYWHERE));
    await writePreferences({ remembersPositions: isAllowed });
    setRemembers(isAllowed);
  };
  return (
    <section class="stack" aria-labelledby="reading">
      <h2 id="reading">{t('reading')}</h2>
      <label class="check">
        <input
          type="checkbox"
          aria-describedby="positions-hint"
          checked={remembers}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
        {t('positions')}
      </label>
      <small id="positions-hint">{t('positionsHint')}</small>
      <label>
        {t('device')}
        <input
          maxLength={100}
          aria-describedby="device-hint"
          value={device}
          onInput={(event) => setDevice(event.currentTarget.value)}
          onChange={() => void (device.trim() && writePreferences({ device: device.trim() }))}
        />
      </label>
      <small id="device-hint">{t('deviceHint')}</small>
    </section>
  );
}
