import type { Settings } from '../config/settings.js';

/**
 * The `WWW-Authenticate` value of a 401: a bearer token of this service, with the reason when one was refused, and Basic
 * credentials where they are enabled. Characters that a header can not quote are left out of the service's name.
 */
export function challenge(
  { serviceName, basicAuthEnabled }: Pick<Settings, 'serviceName' | 'basicAuthEnabled'>,
  error?: 'invalid_token',
): string {
  const realm = serviceName.replace(/[^\x20-\x7e]|["\\]/g, '');
  const bearer = `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
  return basicAuthEnabled ? `${bearer}, Basic realm="${realm}", charset="UTF-8"` : bearer;
}
