import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';
import { complete, newSigningKey, providerConfiguration } from '../../dev/provider-configuration.js';
import { HttpBrowser } from '../auth/http-browser.js';

/** Clients that get tokens without a browser. */
export const ROBOTS = [
  { id: 'robot-1', secret: randomBytes(24).toString('hex') },
  { id: 'robot-2', secret: randomBytes(24).toString('hex') },
];
/** A public client that signs users in by the device flow. */
export const DEVICE_CLIENT = 'e2e-suites';

/** An OpenID provider with the two ways of signing in that need no browser on the machine that wants the tokens. */
export interface OidcIssuer {
  issuer: string;
  close(): Promise<void>;
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, await configuration());
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url!.startsWith('/login/')) void signIn(provider, request, response);
    else answer(request, response);
  });
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configuration(): Promise<Record<string, unknown>> {
  const base = providerConfiguration(complete({ tokenFormat: 'jwt' }), [await newSigningKey()], 'cookie-key');
  const noRedirect = { redirect_uris: [], response_types: [], id_token_signed_response_alg: 'ES256' };
  const robots = ROBOTS.map(({ id, secret }) => ({
    ...noRedirect,
    client_id: id,
    client_secret: secret,
    grant_types: ['client_credentials'],
  }));
  const device = {
    ...noRedirect,
    client_id: DEVICE_CLIENT,
    token_endpoint_auth_method: 'none',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
  };
  return {
    ...base,
    clients: [...base.clients, ...robots, device],
    features: { ...base.features, clientCredentials: { enabled: true }, deviceFlow: { enabled: true } },
  };
}

/** The login form: whatever name is sent is the user's. */
async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = new URLSearchParams(await text(request)).get('login');
  if (accountId) await provider.interactionFinished(request, response, { login: { accountId } });
  else response.end('<form method="post"><input name="login"></form>');
}

/** What a person does with a code: opens the page, types it in, confirms it and signs in under the given name. */
export async function confirmCode(page: string, code: string, name: string): Promise<void> {
  const browser = new HttpBrowser();
  const read = async (form?: Record<string, string>) => (await browser.visit(page, form)).text();
  const xsrf = (html: string) => /name="xsrf" value="(\w+)"/.exec(html)![1]!;
  const asked = await read({ xsrf: xsrf(await read()), user_code: code });
  const confirmed = await browser.visit(page, { xsrf: xsrf(asked), user_code: code, confirm: 'yes' });
  const login = new URL(confirmed.headers.get('location')!, page).href;
  const signedIn = await browser.visit(login, { login: name });
  const done = await browser.visit(new URL(signedIn.headers.get('location')!, login).href);
  if (done.status !== 200) throw new Error(`the code was not confirmed: ${done.status}`);
}
