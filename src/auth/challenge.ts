/** The `WWW-Authenticate` value that asks for a bearer token of this service; characters a header can not quote go. */
export function bearerChallenge(serviceName: string, error?: 'invalid_token'): string {
  const realm = serviceName.replace(/[^\x20-\x7e]|["\\]/g, '');
  return `Bearer realm="${realm}"${error ? `, error="${error}"` : ''}`;
}
