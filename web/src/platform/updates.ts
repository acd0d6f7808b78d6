import { trusted, WORKER } from './trusted-types';

/**
 * Registers the service worker and reports when a new version is waiting. `apply` switches to it and reloads the page.
 */
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
  void navigator.serviceWorker.register(trusted.createScriptURL(WORKER), { updateViaCache: 'none' }).then(
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
