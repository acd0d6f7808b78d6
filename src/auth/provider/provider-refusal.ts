import * as client from 'openid-client';

/** What the provider said when it refused a call: its status, and the OAuth error if it named one (RFC 6749, 5.2). */
export interface ProviderRefusal {
  status?: number;
  error?: string;
  description?: string;
}

/** The refusal in a failure of openid-client; empty for a provider that gave no response. */
export function refusalOf(failure: unknown): ProviderRefusal {
  if (failure instanceof client.ResponseBodyError) {
    const { status, error, error_description: description } = failure;
    return { status, error, description };
  }
  const { cause } = (failure ?? {}) as { cause?: unknown };
  return cause instanceof Response ? { status: cause.status } : {};
}

/**
 * True when the provider says that it does not accept this service's id and secret. Keycloak calls that
 * `unauthorized_client`; some providers send a bare 401.
 */
export const refusesClient = ({ status, error }: ProviderRefusal): boolean =>
  error === 'invalid_client' || (status === 401 && (error === undefined || error === 'unauthorized_client'));

/** What a provider says is neither trusted to be short nor to keep to itself what was sent to it. */
export function textOf({ status, error, description }: ProviderRefusal, secrets: readonly string[]): string {
  const said = [error ?? `status ${status}`, description].filter((part) => part !== undefined).join(': ');
  const bare = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '…')), said);
  return bare.replace(/\p{Cc}+/gu, ' ').slice(0, 300);
}
