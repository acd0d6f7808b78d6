import type { Settings } from '../config/settings.js';

/** What a challenge depends on besides the settings: whether a token was rejected, and what the handler accepts. */
export interface ChallengeOptions {
  error?: 'invalid_token';
  /** Basic credentials are not accepted. */
  bearerOnly?: boolean;
}

/**
 * The `WWW-Authenticate` value of a 401: Bearer, with the error if a token was rejected, and Basic where it is enabled
 * and accepted. Characters that a header cannot quote are removed from the service's name.
 */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  { error, bearerOnly = false }: ChallengeOptions = {},
): string {
  const realm = serviceName.replace(/[^\x20-\x7e]|["\\]/g, '');
  const bearer = `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
  return basicAuthEnabled && !bearerOnly ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}
