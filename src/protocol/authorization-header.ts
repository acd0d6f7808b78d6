/** Credentials of an `Authorization` header, decoded but not yet checked. */
export type Credentials =
  | { scheme: 'bearer'; token: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'malformed-basic' };

/**
 * Reads an `Authorization` header. Returns undefined when it is missing, empty, of an unknown scheme or names no
 * credentials. A password may contain colons and may be empty.
 */
export function readAuthorization(header: string | undefined): Credentials | undefined {
  const [, scheme, value] = /^\s*([A-Za-z]+)[ \t]+(\S.*)$/s.exec(header ?? '') ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value.trimEnd() };
  if (scheme.toLowerCase() === 'basic') return readBasic(value.trimEnd());
  return undefined;
}

function readBasic(value: string): Credentials {
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return { scheme: 'malformed-basic' };
  return { scheme: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
