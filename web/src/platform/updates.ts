/** Registers the service worker and tells when a new version waits. `apply` switches to it and reloads the page. */
export function watchUpdates(onReady: (apply: () => void) => void): void {
  if (!('serviceWorker' in navigator)) return;
  const hadWorker = navigator.serviceWorker.controller !== null;
  let isApplying = false;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (hadWorker && isApplying) location.reload();
  });
  const offer = (worker: ServiceWorker) =>
    onReady(() => {
      isApplying = true;
      worker.postMessage('update');
    });
  void navigator.serviceWorker.register(workerUrl(), { updateViaCache: 'none' }).then(
    (registration) => {
      if (registration.waiting && hadWorker) offer(registration.waiting);
      registration.addEventListener('updatefound', () => {
        const worker = registration.installing;
        worker?.addEventListener('statechange', () => {
          if (worker.state === 'installed' && navigator.serviceWorker.controller) offer(worker);
        });
      });
      setInterval(() => void registration.update().catch(() => undefined), 3_600_000);
      window.addEventListener('online', () => void registration.update().catch(() => undefined));
    },
    () => undefined,
  );
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** The policy of the pages lets no script be loaded by a text; this one name is the exception. */
function workerUrl(): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  const url = 'sw.js';
  if (!trustedTypes) return url;
  const rules = { createScriptURL: (asked: string) => (asked === url ? asked : '') };
  return trustedTypes.createPolicy('reading-list', rules).createScriptURL(url);
}
