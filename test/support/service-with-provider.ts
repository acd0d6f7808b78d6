import { type Service, startService } from './service.js';

/** An identity provider of the tests, real or scripted. */
interface Provider {
  issuer: string;
  close(): Promise<unknown>;
}

/** A service, the provider that it trusts, and what ends both. */
export interface ServiceWithProvider<Kind extends Provider> {
  service: Service;
  provider: Kind;
  close: () => Promise<void>;
}

/** Starts the built service with an empty database in memory, and with settings that differ from the defaults. */
export async function startServiceWith<Kind extends Provider>(
  starting: Promise<Kind>,
  variables: Record<string, string> = {},
): Promise<ServiceWithProvider<Kind>> {
  const provider = await starting;
  const service = await startService({ DATABASE_URL: 'sqlite::memory:', OAUTH_URI: provider.issuer, ...variables });
  const close = async () => {
    await service.stop();
    await provider.close();
  };
  return { service, provider, close };
}
