import type { ReadingList, ReadingListError } from '@reading-list/client';
import { useEffect, useState } from 'preact/hooks';
import { readOffer, SignInError } from '../account/service';
import { openChannel } from '../platform/channel';
import { isOutOfSpace } from '../platform/failures';
import { onChange } from './hooks';

/** What is known of the service since the last sync, in any tab. */
interface Report {
  /**
   * `busy`: the service responds with an error; `foreign`: something else responds in its place; `full`: this device has no
   * space for what it sends.
   */
  status: ReadingList['status'] | 'busy' | 'foreign' | 'full';
  /** The time of the last sync that succeeded, in milliseconds. */
  syncedAt?: number;
}

/** The state of synchronisation with the service. */
export interface SyncState extends Report {
  unsent: number;
}

/**
 * Follows the synchronisation of an account. Only one of several tabs syncs by itself, so each tells the others what it found; the
 * latest report is the true one for all.
 */
export function useSyncState(list: ReadingList, account: string): SyncState {
  const [report, setReport] = useState<Report>({ status: list.status });
  const [unsent, setUnsent] = useState(0);
  useEffect(() => {
    const tabs = openChannel(`reading-list-sync-${account}`);
    let [latest, isOver] = [report, false];
    const note = (next: Report) => setReport((latest = next));
    const tell = (change: Partial<Report>) => {
      if (isOver) return;
      note({ ...latest, ...change });
      tabs.postMessage(latest);
    };
    const onSynced = () => tell({ status: 'idle', syncedAt: Date.now() });
    const onFailed = async (error: ReadingListError) => {
      if (isOutOfSpace(error)) return tell({ status: 'full' });
      if (list.status === 'idle') return tell({ status: 'busy' });
      if (list.status !== 'offline' || !navigator.onLine) return;
      // Browsers don't tell a page whether it was a redirect to elsewhere that failed.
      const reason = await readOffer().catch((problem: SignInError) => problem);
      const isForeign = reason instanceof SignInError && reason.reason === 'foreign';
      if (list.status === 'offline' && isForeign) tell({ status: 'foreign' });
    };
    const follow = (status: ReadingList['status']) => {
      if (status !== 'idle') tell({ status });
      // Joins the sync that has just begun: the status afterwards does not say whether it succeeded.
      if (status === 'syncing') queueMicrotask(() => void list.sync().then(onSynced, onFailed));
    };
    tabs.addEventListener('message', ({ data }: MessageEvent<Report>) => note(data));
    const stops = [list.on('status', follow), onChange(list, async () => setUnsent(await list.countPending()))];
    // The first sync may have ended before anybody listened.
    follow(list.status === 'idle' ? 'syncing' : list.status);
    return () => {
      isOver = true;
      stops.forEach((stop) => stop());
      tabs.close();
    };
  }, [list]);
  return { ...report, unsent };
}
