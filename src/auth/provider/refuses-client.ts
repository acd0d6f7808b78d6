import * as client from 'openid-client';

const CODES: readonly string[] = ['invalid_client', 'unauthorized_client'];

/** True when the failure of a call to the provider means that it does not accept this service's id and secret. */
export function refusesClient(failure: unknown): boolean {
  if (failure instanceof client.ResponseBodyError) return failure.status === 401 || CODES.includes(failure.error);
  if (failure instanceof client.WWWAuthenticateChallengeError) return failure.status === 401;
  // Neither an error in JSON nor a challenge, as they should be.
  const { cause } = (failure ?? {}) as { cause?: unknown };
  return cause instanceof Response && cause.status === 401;
}
