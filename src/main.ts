import type { AddressInfo } from 'node:net';
import { createApp, type App } from './app.factory.js';
import { loadSettings } from './config/load-settings.js';
import { SettingError, type Settings } from './config/settings.js';
import { shutDown } from './shutdown.js';

try {
  await start(loadSettings());
} catch (error) {
  refuse(error);
}

async function start(settings: Settings): Promise<void> {
  const app = await createApp(settings, { onRefusal: refuse });
  await listen(app, settings);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void shutDown(app).finally(() => process.exit(0)));
}

async function listen({ server }: App, { host, port, production }: Settings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isHost = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND';
      reject(new SettingError(`${isHost ? 'HOST' : 'PORT'}: can not listen on ${host}:${port} (${error.code})`));
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
  console.log(`listening on ${base}`);
  if (!production) greet(base);
}

/** What a newcomer needs next. */
function greet(base: string): void {
  const article = `{"url":"https://example.com/","title":"Example","added_by":"laptop"}`;
  console.log(`documentation: ${base}/docs`);
  console.log(`try it: curl -u me:secret ${base}/v2/articles --json '${article}'`);
}

/** One line that says what to change; anything else is a defect and shows where it comes from. */
function refuse(error: unknown): never {
  console.error(error instanceof SettingError ? error.message : error);
  process.exit(1);
}
