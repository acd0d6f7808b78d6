import type { Settings } from '../config/settings.js';

/** What a challenge depends on besides the service: whether something was refused, and what the handler takes. */
export interface ChallengeOptions {
  error?: 'invalid_token';
  /** Basic credentials would not do. */
  bearerOnly?: boolean;
}

/**
 * The `WWW-Authenticate` value of a 401: a bearer token of this service, with the reason when one was refused, and Basic
 * credentials where they are enabled and would do. Characters that a header cannot quote are left out of the service's name.
 */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  { error, bearerOnly = false }: ChallengeOptions = {},
): string {
  const realm = serviceName.replace(/[^\x20-\x7e]|["\\]/g, '');
  const bearer = `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
  return basicAuthEnabled && !bearerOnly ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}
