import { createApp } from '../src/app.factory.js';
import { SettingError, type Settings } from '../src/config/settings.js';
import { cannotListen, listen, shutDown } from '../src/start.js';
import { type DevelopmentProvider, startDevelopmentProvider } from './provider.js';

/** What runs on a developer's machine. */
export interface Development {
  provider: DevelopmentProvider;
  /** The base URL without a trailing slash. */
  service: string;
  close(): Promise<void>;
}

/**
 * Starts an identity provider at `OAUTH_URI` and the service. Rejects with `SettingError` when the settings are not for
 * development, or a port is taken.
 */
export async function startDevelopment(settings: Settings): Promise<Development> {
  const provider = await startProvider(settings);
  // Its provider is there, wherever OAUTH_URI comes from: the web application offers it.
  const app = await createApp({ ...settings, oauthUriIsExplicit: true });
  const service = `http://127.0.0.1:${await listen(app.server, 'PORT', settings.host, settings.port)}`;
  const close = async () => {
    await shutDown(app);
    await provider.close();
  };
  return { provider, service, close };
}

async function startProvider(settings: Settings): Promise<DevelopmentProvider> {
  const { protocol, hostname, port, pathname } = new URL(settings.oauthUri);
  if (settings.production || protocol !== 'http:' || hostname !== '127.0.0.1' || pathname !== '/')
    throw new SettingError('OAUTH_URI: development brings its own provider, at http://127.0.0.1:9000 or another port');
  const { oauthClientId: clientId, oauthClientSecret: clientSecret, oauthScope: scope, oauthAudiences } = settings;
  const options = { port: Number(port || 80), clientId, clientSecret, scope, audience: oauthAudiences[0] };
  return startDevelopmentProvider(options).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen('OAUTH_URI', hostname, options.port, error);
  });
}
