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
    readonly reason:
      | 'refused'
      | 'linkRefused'
      | 'tokenRefused'
      | 'unreachable'
      | 'foreign'
      | 'ended'
      | 'providerAway'
      | 'full'
      | 'storage',
    message = '',
  ) {
    super(message);
  }
}

/** Fetches the ways of signing in. Throws `SignInError`. */
export async function readOffer(): Promise<Offer> {
  const { hello, capabilities } = await getJson(`${serviceUrl()}/v2/`);
  if (typeof hello !== 'string') throw new SignInError('foreign');
  const { provider, offersLogin } = await getJson('config.json');
  const name = typeof provider === 'string' && offersLogin ? provider : undefined;
  if (!Array.isArray(capabilities)) return { basic: true, tokens: true, provider: name };
  return {
    basic: capabilities.includes('basic'),
    tokens: capabilities.includes('tokens'),
    provider: capabilities.includes('oauth') ? name : undefined,
  };
}

/** The account for the credentials, and its name for people. Throws `SignInError`. */
export async function readAccount(authorization: string): Promise<{ account: string; name: string }> {
  const { account, name = '' } = await getJson('account', { Authorization: authorization });
  if (typeof account !== 'string' || typeof name !== 'string') throw new SignInError('foreign');
  return { account, name };
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

/**
 * An object from the service. With the cookies of the page, for a gateway in front of both; the service needs none. A redirect is
 * never the service's.
 */
async function getJson(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const response = await request(url, {
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'manual',
  });
  const body = (await response.json().catch(() => undefined)) as unknown;
  const isObject = typeof body === 'object' && body !== null;
  if (response.ok && isObject) return body as Record<string, unknown>;
  if (isObject && (response.status === 401 || response.status === 403)) throw refusalOf(body, headers.Authorization);
  if (isObject && response.status === 410) throw new SignInError('ended');
  const isFromService = isObject && 'errno' in body;
  throw new SignInError(
    isFromService || (response.status >= 500 && response.status !== 511) ? 'unreachable' : 'foreign',
  );
}

/** Users cannot tell what is wrong with a provider's token, as they did not type it. */
function refusalOf({ message }: { message?: unknown }, authorization = ''): SignInError {
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

/** A page of the service that no browser caches, so that it shows what responds in place of the service. */
export const foreignUrl = (): string => `${serviceUrl()}/v2/`;

/** The `Authorization` header for a name and password, in UTF-8. */
export function basicAuthorization(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
