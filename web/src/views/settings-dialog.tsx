import { MAX_LENGTHS } from '@reading-list/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../account/session';
import { loadPart } from '../platform/failures';
import { restrictPictures } from '../platform/pictures';
import type { Preferences } from '../platform/preferences';
import { LANGUAGES, t } from '../texts';
import { bookmarklet } from '../ways/bookmarklet';
import { Dialog } from './dialog';
import { ImportSection } from './import-section';

interface Props {
  session: Session;
  preferences: Preferences;
  onPreferences: (preferences: Preferences) => void;
  onKeep: (keep: boolean) => void;
  /** Shows the browser's install prompt; undefined while there is none. */
  install?: () => void;
  onClose: () => void;
}

/** Rare tasks: import and export, the bookmarklet, device name and language. */
export function SettingsDialog(props: Props): JSX.Element {
  const { session, preferences, onClose } = props;
  const [isImporting, setImporting] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const follow = (isRunning: boolean) => {
    setImporting(isRunning);
    setRefused(false);
  };
  return (
    <Dialog
      heading={t.settings.heading}
      onClose={isImporting ? () => setRefused(true) : onClose}
      wide
      isBusy={isImporting}
    >
      {isRefused && (
        <p class="problem" role="alert">
          {t.importing.isRunning}
        </p>
      )}
      <ImportSection
        list={session.list}
        device={preferences.device}
        isOneByOne={session.credentials.authorization.startsWith('Basic ')}
        onRunning={follow}
      />
      <ExportSection session={session} />
      <BookmarkletSection install={props.install} />
      <DeviceSection {...props} />
    </Dialog>
  );
}

const EXPORTED = ['lines', 'csv', 'bookmarks'] as const;

function ExportSection({ session }: { session: Session }): JSX.Element {
  const save = async (format: (typeof EXPORTED)[number]) => {
    const { download, EXPORTS } = await loadPart(() => import('../ways/export'));
    const { name, type, write } = EXPORTS[format];
    download(name, type, write(await session.list.list({ order: 'oldest' })));
  };
  return (
    <section class="stack" aria-labelledby="export-heading">
      <h3 id="export-heading">{t.exporting.heading}</h3>
      <p class="hint">{t.exporting.hint}</p>
      {EXPORTED.map((format) => (
        <div key={format}>
          <button
            type="button"
            aria-describedby={`export-${format}`}
            onClick={() => void save(format).catch(() => undefined)}
          >
            {t.exporting[format]}
          </button>{' '}
          <small id={`export-${format}`}>{t.exporting.losses[format]}</small>
        </div>
      ))}
    </section>
  );
}

function BookmarkletSection({ install }: Pick<Props, 'install'>): JSX.Element {
  return (
    <section class="stack" aria-labelledby="bookmarklet-heading">
      <h3 id="bookmarklet-heading">{t.settings.bookmarklet}</h3>
      <p>
        <a class="bookmarklet" href={bookmarklet()} onClick={(event) => event.preventDefault()} draggable>
          {t.settings.bookmarkletName}
        </a>
      </p>
      <p class="hint">{t.settings.bookmarkletHint}</p>
      <h3>{t.settings.install}</h3>
      {install && (
        <button type="button" onClick={install}>
          {t.settings.install}
        </button>
      )}
      <p class="hint">{install ? t.settings.installHint : `${t.settings.installManually} ${t.settings.installHint}`}</p>
    </section>
  );
}

function DeviceSection({ session, preferences, onPreferences, onKeep }: Props): JSX.Element {
  return (
    <section class="stack" aria-labelledby="device-heading">
      <h3 id="device-heading">{t.settings.account}</h3>
      {/* Another name or password would have opened another list. */}
      {session.label && <bdi class="address">{session.label}</bdi>}
      <label class="check">
        <input type="checkbox" checked={session.isKept} onChange={(event) => onKeep(event.currentTarget.checked)} />
        {t.settings.stay}
      </label>
      <label>
        {t.settings.device}
        <input
          // Not `value`: whenever the page is rendered, that would take back what the user is typing.
          defaultValue={preferences.device}
          maxLength={MAX_LENGTHS.added_by}
          dir="auto"
          aria-describedby="device-hint"
          onChange={(event) => {
            const device = event.currentTarget.value.trim();
            if (device !== '') onPreferences({ ...preferences, device });
          }}
        />
      </label>
      <small id="device-hint">{t.settings.deviceHint}</small>
      <label class="check">
        <input
          type="checkbox"
          checked={preferences.pictures}
          aria-describedby="pictures-hint"
          onChange={(event) => {
            const pictures = event.currentTarget.checked;
            onPreferences({ ...preferences, pictures });
            // The page's policy can only be narrowed, so that it takes a new page to widen it.
            if (pictures) location.reload();
            else restrictPictures();
          }}
        />
        {t.settings.pictures}
      </label>
      <small id="pictures-hint">{t.settings.picturesHint}</small>
      <label>
        {t.settings.language}
        <select
          value={preferences.language}
          onChange={(event) => onPreferences({ ...preferences, language: event.currentTarget.value })}
        >
          {Object.entries(LANGUAGES).map(([code, { language }]) => (
            <option key={code} value={code} lang={code}>
              {language}
            </option>
          ))}
        </select>
      </label>
    </section>
  );
}
