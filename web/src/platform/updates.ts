import { trusted, WORKER } from './trusted-types';

/**
 * Registers the service worker and reports when a new version is waiting. `apply` switches to it and reloads the page.
 */
export function watchUpdates(onReady: (apply: () => void) => void): void {
  if (!('serviceWorker' in navigator)) return;
  let isApplying = false;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isApplying) location.reload();
  });
  const offer = (worker: ServiceWorker) =>
    onReady(() => {
      // Another tab may have activated it already.
      if (worker.state === 'activated') return location.reload();
      isApplying = true;
      worker.postMessage('update');
    });
  void navigator.serviceWorker.register(trusted.createScriptURL(WORKER), { updateViaCache: 'none' }).then(
    (registration) => {
      if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
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
