import { openList, readSession, type Session } from '../session';
import type { TextName } from '../texts';

/** The ways of signing in that a service offers. */
export interface Offer {
  basic: boolean;
  tokens: boolean;
  /** The provider's name in the login paths; undefined if there is none. */
  provider?: string | undefined;
}

/** Why signing in failed, in a sentence for the user. */
export class SignInError extends Error {
  constructor(readonly text: TextName) {
    super(text);
  }
}

/** The base URL of what a user has typed, which may be the address of the web application or of the API; undefined if it is not one. */
export function serviceUrl(text: string): string | undefined {
  const typed = text.trim();
  const full = /^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`;
  // Chromium takes a host with spaces.
  if (!/^https?:\/\/\S+$/i.test(full) || !URL.canParse(full)) return undefined;
  const { origin, pathname, username } = new URL(full);
  return username ? undefined : origin + pathname.replace(/\/+$/, '').replace(/\/(?:app|v2)$/, '');
}

/** The pattern of the host, for the browser's permission; without the port, which Firefox does not accept. */
export function hostPattern(service: string): string {
  const { protocol, hostname } = new URL(service);
  return `${protocol}//${hostname}/*`;
}

/** Asks the service how one can sign in. @throws SignInError */
export async function readOffer(service: string): Promise<Offer> {
  const { hello, capabilities } = await getJson(`${service}/v2/`);
  if (typeof hello !== 'string' || !Array.isArray(capabilities)) throw new SignInError('foreign');
  // The web application may be switched off.
  const configuration = await getJson(`${service}/app/config.json`).catch(() => ({
    provider: 'acct',
    offersLogin: true,
  }));
  const { provider, offersLogin } = configuration as Record<string, unknown>;
  const offersProvider = capabilities.includes('oauth') && offersLogin === true && typeof provider === 'string';
  return {
    basic: capabilities.includes('basic'),
    tokens: capabilities.includes('tokens'),
    provider: offersProvider ? provider : undefined,
  };
}

/** Finds out whose credentials these are. @throws SignInError */
export async function signIn(service: string, authorization: string, typedName = ''): Promise<Session> {
  const headers = { Authorization: authorization };
  await getJson(`${service}/v2/articles?_limit=1`, headers);
  const known = await getJson(`${service}/app/account`, headers).catch(() => undefined);
  const account =
    typeof known?.account === 'string'
      ? known.account
      : ((await accountBefore(service, headers)) ?? (await hashOf(`${service} ${authorization}`)));
  const name = typedName || (typeof known?.name === 'string' ? known.name : '');
  return { service, authorization, account, name };
}

/** How many articles to look for: other devices may have deleted some. */
const MAX_LOOKED_FOR = 5;

/**
 * The account of whoever is signed in at this service, if these credentials are theirs, too, as only the same user finds the
 * articles that are on the list in this browser. For a service that does not tell accounts, because its web application is off.
 */
async function accountBefore(service: string, headers: Record<string, string>): Promise<string | undefined> {
  const session = await readSession();
  if (session?.service !== service) return undefined;
  const list = await openList(session);
  try {
    const ids = (await list.list()).flatMap(({ id }) => id ?? []);
    for (const id of ids.slice(0, MAX_LOOKED_FOR)) {
      const found = await getJson(`${service}/v2/articles/${id}`, headers).catch(() => undefined);
      if (found?.id === id) return session.account;
    }
    return undefined;
  } finally {
    await list.close();
  }
}

/** Signs in at the identity provider, by the service's own login, and returns the `Authorization`. @throws SignInError */
export async function signInAtProvider(service: string, provider: string): Promise<string> {
  const redirect = encodeURIComponent(`${chrome.identity.getRedirectURL()}#auth:`);
  const url = `${service}/v2/${provider}-oauth/login?redirect=${redirect}`;
  const response = await chrome.identity.launchWebAuthFlow({ url, interactive: true }).catch(() => undefined);
  const token = /#auth:(.+)$/.exec(response ?? '')?.[1];
  if (token === undefined) throw new SignInError('signInFailed');
  return `Bearer ${token}`;
}

/** The `Authorization` header for a name and password, in UTF-8. */
export function basicAuthorization(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The domain that the operator has to allow for the provider's login. */
export const redirectDomain = (): string => new URL(chrome.identity.getRedirectURL()).hostname;

async function getJson(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers, cache: 'no-store', redirect: 'error' }).catch(() => undefined);
  if (!response) throw new SignInError('unreachable');
  const body = (await response.json().catch(() => undefined)) as unknown;
  if (typeof body !== 'object' || body === null) throw new SignInError('foreign');
  if (response.status === 401 || response.status === 403) throw new SignInError('refused');
  if (!response.ok) throw new SignInError('errno' in body ? 'unreachable' : 'foreign');
  return body as Record<string, unknown>;
}

async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
