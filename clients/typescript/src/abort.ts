/** Waits for the promise, but rejects as soon as the signal is aborted. */
export async function untilAborted<T>(promise: T | Promise<T>, signal?: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal!.reason as Error);
  });
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
