import type Provider from 'oidc-provider';
import { type CompleteOptions, resourceServer, type TokenFormat } from './provider-configuration.js';

/** The properties of a token that differ from the provider's options. */
export interface TokenWish {
  format?: TokenFormat;
  scope?: string;
  audience?: string;
  seconds?: number;
  /** An ID or a refresh token instead of an access token. */
  kind?: 'access' | 'id' | 'refresh';
}

/** Issues a token like the login would. */
export async function issueToken(
  provider: Provider,
  options: CompleteOptions,
  subject: string,
  wish: TokenWish,
): Promise<string> {
  const { scope = options.scope, audience = options.audience, seconds = options.tokenSeconds } = wish;
  const client = (await provider.Client.find(options.clientId))!;
  if (wish.kind === 'id') return issueIdToken(provider, client, subject);
  const properties = { accountId: subject, client, scope, expiresIn: seconds, gty: 'authorization_code' };
  if (wish.kind === 'refresh') return new provider.RefreshToken(properties).save(seconds);
  const token = new provider.AccessToken(properties);
  if ((wish.format ?? options.tokenFormat) === 'jwt')
    token.resourceServer = new provider.ResourceServer(audience, resourceServer(options, audience, seconds));
  const issued = await token.save(seconds);
  // One in 262,144 random tokens looks like a personal one, which the service never asks the provider about.
  return issued.startsWith('rl_') ? issueToken(provider, options, subject, wish) : issued;
}

function issueIdToken(provider: Provider, client: object, subject: string): Promise<string> {
  const token = new provider.IdToken({ sub: subject }, { client: client as never });
  token.scope = 'openid';
  return token.issue({ use: 'idtoken' });
}
