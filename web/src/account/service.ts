/** The service's URL: the folder above the application's own. */
export const serviceUrl = (): string => new URL('..', new URL('./', location.href)).href.replace(/\/$/, '');

/** The ways of signing in that the service offers. */
export interface Offer {
  basic: boolean;
  tokens: boolean;
  /** The provider's name in the login paths; undefined if there is none. */
  provider?: string;
}

/** Why signing in failed. The message is what the service said about a token, otherwise empty. */
export class SignInError extends Error {
  constructor(
    readonly reason: 'refused' | 'tokenRefused' | 'unreachable' | 'ended' | 'providerAway',
    message = '',
  ) {
    super(message);
  }
}

/** Fetches the ways of signing in. Throws `SignInError`. */
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

/** The name of the account for the credentials. Throws `SignInError`. */
export async function readAccount(authorization: string): Promise<string> {
  return ((await getJson('account', { Authorization: authorization })) as { account: string }).account;
}

/**
 * Goes to the identity provider's sign-in page, after checking that this will work, so that the user sees a message
 * instead of a JSON error. Throws `SignInError`.
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
  if (response.status === 401 || response.status === 403) throw await refusalOf(response, headers.Authorization);
  throw new SignInError(response.status === 410 ? 'ended' : 'unreachable');
}

/** Of a provider's token, users can't tell what is wrong with it: they did not type it. */
async function refusalOf(response: Response, authorization = ''): Promise<SignInError> {
  const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
  if (!/^Bearer (?!rl_)/.test(authorization) || typeof message !== 'string') return new SignInError('refused');
  return new SignInError('tokenRefused', message.replace(/^The access token is refused: /, ''));
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw new SignInError('unreachable');
  }
}

/** The `Authorization` header for a name and password, in UTF-8. */
export function basicAuthorization(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
