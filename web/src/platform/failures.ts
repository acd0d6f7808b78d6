/** Whether an error, or what caused it, says that the browser has no more space for the page. */
export function isOutOfSpace(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, cause } = error as { name?: string; cause?: unknown };
  return name === 'QuotaExceededError' || isOutOfSpace(cause);
}

/** A part of the application cannot be loaded, most likely because a new version has replaced it. */
export class PartGoneError extends Error {}

/** The event of the window when a part could not be loaded though there is a network. */
export const PART_GONE = 'reading-list-part-gone';

/** Loads a part of the application that few need. Throws `PartGoneError` if it no longer exists. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!navigator.onLine) throw cause;
    window.dispatchEvent(new Event(PART_GONE));
    throw new PartGoneError('the part is gone', { cause });
  }
}

/** Reloads the page from the service, not from what this device has kept of an older version. */
export async function reloadFresh(): Promise<void> {
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  location.reload();
}
