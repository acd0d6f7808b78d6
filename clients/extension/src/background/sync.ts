import { showStatus } from './badge';
import { currentList } from './open-list';

const INTERVAL_MS = 300_000;
const RETRY_MS = 30_000;
const DUE = 'nextSync';

/** Sends what waits and fetches what is new; what cannot be sent now waits for the next occasion. */
export async function sync(): Promise<void> {
  const list = await currentList();
  if (!list) return;
  const isSynced = await list.sync().then(
    () => true,
    () => false,
  );
  await chrome.storage.session.set({ [DUE]: Date.now() + (isSynced ? INTERVAL_MS : RETRY_MS) });
  await showStatus(list.status);
}

/**
 * The same, unless it was done a short while ago. There is no permission for a timer, and the browser ends background scripts, so
 * whatever else wakes this one is an occasion.
 */
export async function syncIfDue(): Promise<void> {
  const { [DUE]: due = 0 } = await chrome.storage.session.get<Record<string, number>>(DUE);
  if (Date.now() >= due) await sync();
}
