import type { Settings } from '../config/settings.js';

/** What a challenge depends on besides the settings: whether a token was rejected, and what the handler accepts. */
export interface ChallengeOptions {
  error?: 'invalid_token';
  /** Basic credentials are not accepted. */
  bearerOnly?: boolean;
}

/**
 * The `WWW-Authenticate` value of a 401: Bearer, with the error if a token was rejected, and Basic where it is enabled
 * and accepted. The realm is the service's name, unless a header cannot quote that.
 */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  { error, bearerOnly = false }: ChallengeOptions = {},
): string {
  const realm = isQuotable(serviceName) ? serviceName : 'reading list';
  const bearer = `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
  return basicAuthEnabled && !bearerOnly ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}

/** Printable ASCII that needs no escape between quotes. */
const isQuotable = (text: string): boolean => /^[ !#-[\]-~]+$/.test(text);
