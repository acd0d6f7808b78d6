import * as client from 'openid-client';

const CODES: readonly string[] = ['invalid_client', 'unauthorized_client'];

/** True when a failed call to the provider means that it does not accept this service's id and secret. */
export function refusesClient(failure: unknown): boolean {
  if (failure instanceof client.ResponseBodyError) return failure.status === 401 || CODES.includes(failure.error);
  if (failure instanceof client.WWWAuthenticateChallengeError) return failure.status === 401;
  // Some providers send a bare 401, without the JSON error or challenge that the standard requires.
  const { cause } = (failure ?? {}) as { cause?: unknown };
  return cause instanceof Response && cause.status === 401;
}
