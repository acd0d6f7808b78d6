/** A signal that fires after `ms` milliseconds, or when another one does. */
export function timeLimit(ms: number, other?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  if (!other) return timeout;
  // Node 20 collects a timeout as garbage that only `AbortSignal.any` refers to, unless somebody listens: it would never fire.
  timeout.addEventListener('abort', () => undefined);
  return AbortSignal.any([timeout, other]);
}
