import { afterAll, beforeAll } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../../../dev/provider.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { startTcpProxy, type TcpProxy } from '../../../../test/support/servers/tcp-proxy.js';
import { type Service, startService } from '../../../../test/support/service.js';
import { Site } from './browser.js';

/** The real service behind a proxy that can break, a provider where anybody signs in, and a web site. */
export interface World {
  provider: DevelopmentProvider;
  databaseUrl: string;
  service: Service;
  proxy: TcpProxy;
  /** The service by way of the proxy. */
  url: string;
  site: Site;
}

/** Starts a world before the cases of a file. @param redirectDomain where the provider's login ends for the extension */
export function useWorld(redirectDomain: string): World {
  const world = {} as World;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const provider = await startDevelopmentProvider({ port: 0 });
    const service = await startService({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      MIGRATE_ON_START: 'true',
      OAUTH_URI: provider.issuer,
      OAUTH_REDIRECT_DOMAINS: redirectDomain,
      BASIC_AUTH_ENABLED: 'true',
      BACKOFF: 'off',
      MAX_ARTICLES_PER_USER: '4',
    });
    const proxy = await startTcpProxy(Number(new URL(service.url).port));
    const site = await Site.start();
    const databaseUrl = database.url;
    Object.assign(world, { provider, databaseUrl, service, proxy, site, url: `http://127.0.0.1:${proxy.port}` });
  });
  afterAll(async () => {
    world.site?.close();
    await world.proxy?.close();
    await world.service?.stop();
    await world.provider?.close();
    await database?.drop();
  });
  return world;
}
