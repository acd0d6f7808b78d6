/** Where the service is: the folder above the application's own. */
export const serviceUrl = (): string => new URL('..', new URL('./', location.href)).href.replace(/\/$/, '');

/** What the service offers for signing in. */
export interface Offer {
  basic: boolean;
  tokens: boolean;
  /** The name in the paths of the login; undefined where there is none. */
  provider?: string;
}

/** Why the service can't be used at the moment. */
export class SignInError extends Error {
  constructor(readonly reason: 'refused' | 'unreachable' | 'ended' | 'providerAway') {
    super(reason);
  }
}

/** Asks the service how one can sign in. Throws `SignInError`. */
export async function readOffer(): Promise<Offer> {
  const root = (await getJson(`${serviceUrl()}/v2/`)) as { capabilities?: string[] };
  const { provider } = (await getJson('config.json')) as { provider: string };
  const { capabilities } = root;
  if (!Array.isArray(capabilities)) return { basic: true, tokens: true, provider };
  return {
    basic: capabilities.includes('basic'),
    tokens: capabilities.includes('tokens'),
    provider: capabilities.includes('oauth') ? provider : undefined,
  };
}

/** The name of the account that the credentials open. Throws `SignInError`. */
export async function readAccount(authorization: string): Promise<string> {
  return ((await getJson('account', { Authorization: authorization })) as { account: string }).account;
}

/**
 * Goes to the identity provider's sign-in page. Asks first whether that will work: instead of an error that only programs can
 * read, the user gets to read a sentence. Throws `SignInError`.
 */
export async function goToProvider(provider: string): Promise<void> {
  const redirect = encodeURIComponent(`${location.origin}${location.pathname}#auth:`);
  const login = `${serviceUrl()}/v2/${provider}-oauth/login?redirect=${redirect}`;
  const response = await request(login, { redirect: 'manual' });
  if (response.type !== 'opaqueredirect') throw new SignInError(response.status === 410 ? 'ended' : 'providerAway');
  location.assign(login);
}

async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await request(url, { headers, credentials: 'omit', cache: 'no-store' });
  if (response.ok) return response.json();
  if (response.status === 401 || response.status === 403) throw new SignInError('refused');
  throw new SignInError(response.status === 410 ? 'ended' : 'unreachable');
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw new SignInError('unreachable');
  }
}

/** The header for a name and a password, in UTF-8. */
export function basicAuthorization(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
