import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { InteractionContext } from 'oidc-provider';

/** The format of access tokens: opaque ones are introspected, JWTs are verified with the provider's keys. */
export type TokenFormat = 'opaque' | 'jwt';

/** The service's registration with the provider, and the provider's behavior. */
export interface ProviderOptions {
  /** 9000 by default; 0 picks a free one. */
  port?: number;
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  /** The audience of JWT access tokens; the client id by default. */
  audience?: string;
  /** The format of tokens without a `resource`; those for a resource are JWTs. */
  tokenFormat?: TokenFormat;
  tokenSeconds?: number;
}

/** The client id of browser applications (Swagger UI) that obtain tokens themselves: a public client with PKCE. */
export const BROWSER_CLIENT_ID = 'reading-list-browser';

const DEFAULTS = {
  port: 9000,
  clientId: 'reading-list',
  clientSecret: 'development-client-secret',
  scope: 'readinglist',
  tokenFormat: 'opaque' as TokenFormat,
  tokenSeconds: 3600,
};

/** Options with all defaults applied. */
export type CompleteOptions = Required<ProviderOptions>;

export function complete(options: ProviderOptions): CompleteOptions {
  return { ...DEFAULTS, audience: options.clientId ?? DEFAULTS.clientId, ...options };
}

/** A new signing key with its own id. */
export async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: 'ES256', use: 'sig' };
}

/** The properties of tokens for a resource. */
export const resourceServer = (options: CompleteOptions, audience: string, seconds = options.tokenSeconds) => ({
  scope: options.scope,
  audience,
  accessTokenTTL: seconds,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'ES256' } },
});

/** oidc-provider's configuration. The first key signs. */
export function providerConfiguration(options: CompleteOptions, keys: JWK[], cookieKey: string) {
  return {
    clients: clients(options),
    jwks: { keys },
    cookies: { keys: [cookieKey] },
    scopes: ['openid', 'offline_access', ...options.scope.split(' ')],
    pkce: { required: () => true },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientBasedCORS: () => true,
    expiresWithSession: () => false,
    ttl: {
      AccessToken: options.tokenSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: (context: InteractionContext) => grantWithoutAsking(context, options),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    features: features(options),
  };
}

function clients({ clientId, clientSecret }: CompleteOptions) {
  const common = {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    id_token_signed_response_alg: 'ES256',
  };
  // Any loopback port and path is allowed, see `provider.ts`, but at least one URI is required.
  const redirect_uris = ['http://127.0.0.1/'];
  return [
    { ...common, client_id: clientId, client_secret: clientSecret, redirect_uris },
    { ...common, client_id: BROWSER_CLIENT_ID, token_endpoint_auth_method: 'none', redirect_uris },
  ];
}

function features(options: CompleteOptions) {
  return {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    introspection: {
      enabled: true,
      allowedPolicy: (_context: unknown, client: { clientId: string }) => client.clientId === options.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => (options.tokenFormat === 'jwt' ? DEFAULT_RESOURCE : undefined),
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: unknown, resource: string) =>
        resourceServer(options, resource === DEFAULT_RESOURCE ? options.audience : resource),
    },
  };
}

const DEFAULT_RESOURCE = 'urn:reading-list';

/** Skips the consent page. */
async function grantWithoutAsking({ oidc }: InteractionContext, { scope, audience }: CompleteOptions) {
  const { session, client, provider } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(`openid offline_access ${scope}`);
  for (const resource of [DEFAULT_RESOURCE, audience]) grant.addResourceScope(resource, scope);
  await grant.save();
  return grant;
}
