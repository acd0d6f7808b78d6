import * as client from 'openid-client';

const USERS = 2;

/**
 * Obtains bearer tokens from an identity provider: by client credentials if there is a secret, otherwise by the device
 * flow, for which somebody signs in twice, as two test users. Accepts plain http only on loopback.
 */
export async function obtainTokens(issuer, environment) {
  const { E2E_OIDC_CLIENT_ID: id, E2E_OIDC_CLIENT_SECRET: secret } = environment;
  const { E2E_OIDC_SCOPE: scope = 'readinglist', E2E_OIDC_RESOURCE: resource } = environment;
  const wish = { scope, ...(resource && { resource }) };
  if (!id) throw new Error('the variable E2E_OIDC_CLIENT_ID is missing');
  const address = new URL(issuer);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  const execute = isLoopback && address.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const clients = id.split(',').map((name, at) => [name, secret?.split(',')[at]]);
  if (secret && clients.some(([, password]) => !password))
    throw new Error('E2E_OIDC_CLIENT_SECRET has fewer secrets than E2E_OIDC_CLIENT_ID has ids');
  const tokens = [];
  for (const [name, password] of clients) {
    const authentication = !password ? client.None() : client.ClientSecretBasic(password);
    const config = await client.discovery(address, name, undefined, authentication, { execute });
    if (password) tokens.push((await client.clientCredentialsGrant(config, wish)).access_token);
    else for (let at = 1; at <= USERS; at++) tokens.push(await byDevice(config, wish, at));
  }
  return tokens;
}

async function byDevice(config, wish, at) {
  const started = await client.initiateDeviceAuthorization(config, wish);
  console.log(`test user ${at}: sign in at ${started.verification_uri} with the code ${started.user_code}`);
  return (await client.pollDeviceAuthorizationGrant(config, started)).access_token;
}
