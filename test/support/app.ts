import type { AddressInfo } from 'node:net';
import { createApp, type App } from '../../src/app.factory.js';
import { readSettings } from '../../src/config/settings.js';
import { createTestDatabase, type TestDatabase } from './database.js';

/** A service that listens on a free port, with a database of its own. */
export interface TestApp extends App {
  url: string;
  /** Moves the service's clock; it follows the real one otherwise. */
  setClock(now: number | undefined): void;
  close(): Promise<void>;
}

/**
 * Starts the service on the database of the running project.
 * @param variables settings that differ from the defaults of these tests
 * @param database shared with another service; by default a new one that goes away with this service
 */
export async function startApp(variables: Record<string, string> = {}, database?: TestDatabase): Promise<TestApp> {
  const own = database ?? (await createTestDatabase());
  const settings = readSettings({
    NODE_ENV: 'test',
    DATABASE_URL: own.url,
    MIGRATE_ON_START: 'true',
    LOG_LEVEL: 'fatal',
    ...variables,
  });
  let fixed: number | undefined;
  const app = await createApp(settings, { clock: () => fixed ?? Date.now() });
  // The event loop is the tests' as well, and the machine is busy: its delay says nothing about the load here.
  app.status.monitor.stop();
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
  return {
    ...app,
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    setClock: (now) => (fixed = now),
    close: async () => {
      app.server.closeAllConnections();
      await new Promise((resolve) => app.server.close(resolve));
      await app.nest.close();
      if (!database) await own.drop();
    },
  };
}
