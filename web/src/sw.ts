/// <reference lib="webworker" />
/**
 * Caches the application's own files, so that it opens offline. It never touches the API: the replica stores the
 * articles.
 */
const worker = self as unknown as ServiceWorkerGlobalScope;

const CACHE = 'reading-list-__VERSION__';
const FILES = '__FILES__' as unknown as string[];

worker.addEventListener('install', (event) => {
  event.waitUntil(keepFiles());
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(forgetOlder().then(() => worker.clients.claim()));
});

/** The page requests the update when its user agrees, never in the middle of something. */
worker.addEventListener('message', (event) => {
  if (event.data === 'update') void worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || !url.href.startsWith(worker.registration.scope)) return;
  if (request.mode === 'navigate') return event.respondWith(fromCache(worker.registration.scope, request));
  if (FILES.some((file) => new URL(file, worker.registration.scope).href === url.href))
    event.respondWith(fromCache(url.href, request));
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all(
    FILES.map(async (file) => {
      // Entry files have no hash in their names, so the HTTP cache may hold an older version.
      const response = await fetch(file, { cache: 'no-cache' });
      // What responds in place of the service, such as the sign-in page of a network, must not be kept.
      const isPage = response.headers.get('Content-Type')?.startsWith('text/html') ?? false;
      if (!response.ok || response.redirected || isPage !== (file === './')) throw new TypeError(`not ours: ${file}`);
      await cache.put(file, response);
    }),
  );
}

async function forgetOlder(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith('reading-list-') && name !== CACHE).map((name) => caches.delete(name)),
  );
}

async function fromCache(address: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(address)) ?? fetch(request);
}
