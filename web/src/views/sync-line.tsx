import type { JSX } from 'preact';
import { foreignUrl } from '../account/service';
import type { SyncState } from '../list/sync-state';
import { formatTime, t } from '../texts';
import { Sentence } from './sentence';

/** The sync status in one line: offline, syncing, up to date and since when, or that the service has a problem. */
export function SyncLine({ state, onSync }: { state: SyncState; onSync: () => void }): JSX.Element {
  return (
    <div class="sync-line">
      <span class={`sync-dot ${state.status}`} aria-hidden="true" />
      <span role="status">
        {isBehind(state) ? '' : textOf(state)}
        {state.unsent > 0 && <span> {t.sync.unsent(state.unsent)}.</span>}
      </span>
      {state.status === 'foreign' && (
        <a href={foreignUrl()} target="_blank" rel="noopener">
          {t.sync.openForeign}
        </a>
      )}
      {/* Also during a sync, as it may have the focus. */}
      {state.status !== 'signed-out' && state.status !== 'gone' && (
        <button type="button" class="quiet" onClick={onSync}>
          {t.sync.now}
        </button>
      )}
    </div>
  );
}

/** There is no error, but "up to date" would not be true either. */
const isBehind = ({ status, unsent }: SyncState): boolean => unsent > 0 && (status === 'idle' || status === 'syncing');

/** A new minute is no reason for a screen reader to interrupt. */
const upToDate = (syncedAt: number) => <Sentence of={t.sync.upToDate} title={formatTime(syncedAt)} live="off" />;

function textOf({ status, syncedAt }: SyncState): JSX.Element | string {
  switch (status) {
    case 'busy':
      return t.sync.busy;
    case 'foreign':
    case 'full':
      return t.sync[status];
    case 'offline':
      return t.sync.offline;
    case 'syncing':
      // While a waiting poll is held the list is up to date, so keep showing that.
      return syncedAt === undefined ? t.sync.syncing : upToDate(syncedAt);
    case 'signed-out':
      return t.sync.signedOut;
    case 'gone':
      return t.sync.gone;
    default:
      return syncedAt === undefined ? t.sync.starting : upToDate(syncedAt);
  }
}
