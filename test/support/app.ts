import type { AddressInfo } from 'node:net';
import type { DevelopmentProvider } from '../../dev/provider.js';
import type { App } from '../../src/app.factory.js';
import type { TestDatabase } from './database.js';
import { givenDeployment } from './deployment/deployment.js';
import { givenApp, givenAppWithTokens } from './deployment/given-app.js';

/** A service to test: started with its own database, or the given deployment. */
export interface TestApp extends App {
  url: string;
  limits: { pageSize: number; batchMaxRequests: number; maxBodyBytes: number };
  providerName: string;
  /** Sets the service's clock, which otherwise follows the real one. */
  setClock(now: number | undefined): void;
  close(): Promise<void>;
}

/** A service whose users can sign in. */
export interface TestAppWithProvider extends TestApp {
  /** An access token for the subject, with the properties in `wish`. */
  issue: DevelopmentProvider['issue'];
  provider: DevelopmentProvider;
}

/**
 * Starts the service on the database of the running project, or returns the deployment under test. A case that the
 * deployment cannot support throws `NotHere`.
 * @param variables settings that differ from the defaults of these tests
 * @param database shared with another service; by default a new one that is removed with this service
 */
export async function startApp(variables: Record<string, string> = {}, database?: TestDatabase): Promise<TestApp> {
  const deployment = givenDeployment();
  if (deployment) return givenApp(deployment, variables, database);
  // A given deployment needs nothing of this, and loading it takes seconds.
  const { createApp } = await import('../../src/app.factory.js');
  const { readSettings } = await import('../../src/config/load-settings.js');
  const { createTestDatabase } = await import('./database.js');
  const own = database ?? (await createTestDatabase());
  const settings = readSettings({
    NODE_ENV: 'test',
    DATABASE_URL: own.url,
    MIGRATE_ON_START: 'true',
    LOG_LEVEL: 'fatal',
    ...variables,
  });
  let fixed: number | undefined;
  const app = await createApp(settings, { now: () => fixed ?? Date.now() });
  // The tests share the event loop and the machine is busy, so its delay says nothing about the load.
  app.status.monitor.onApplicationShutdown();
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
  return {
    ...app,
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    limits: settings,
    providerName: settings.oauthProviderName,
    setClock: (now) => (fixed = now),
    close: async () => {
      app.server.closeAllConnections();
      await new Promise((resolve) => app.server.close(resolve));
      await app.nest.close();
      if (!database) await own.drop();
    },
  };
}

/** Starts the service with an identity provider, or returns the deployment with tokens of its test users. */
export async function startAppWithProvider(variables: Record<string, string> = {}): Promise<TestAppWithProvider> {
  const deployment = givenDeployment();
  if (deployment) return givenAppWithTokens(deployment, variables);
  const { startDevelopmentProvider } = await import('../../dev/provider.js');
  const provider = await startDevelopmentProvider({ port: 0 });
  const app = await startApp({ OAUTH_URI: provider.issuer, ...variables });
  return {
    ...app,
    provider,
    issue: (subject, wish) => provider.issue(subject, wish),
    close: async () => {
      await app.close();
      await provider.close();
    },
  };
}
