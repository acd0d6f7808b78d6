import type { Settings } from '../../config/settings.js';

/**
 * The `resource` parameter (RFC 8707) of a login: the audience that `OAUTH_AUDIENCE` requires, if it is an http(s) URL.
 * Providers that issue tokens for several services need it; without the setting nothing is sent.
 */
export function resourceParameter({ oauthAudiences, oauthClientId }: Settings): { resource?: string } {
  const [audience] = oauthAudiences;
  const isRequired = oauthAudiences.length === 1 && audience !== undefined && audience !== oauthClientId;
  return isRequired && /^https?:\/\/[^#]+$/.test(audience) ? { resource: audience } : {};
}
