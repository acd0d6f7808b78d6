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
  const [start, scheme] = /^\s*([A-Za-z]+)[ \t]+(?=\S)/.exec(header ?? '') ?? [];
  if (start === undefined) return undefined;
  const value = header!.slice(start.length).trimEnd();
  if (scheme!.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value };
  if (scheme!.toLowerCase() === 'basic') return readBasic(value);
  return undefined;
}

function readBasic(value: string): Credentials {
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return { scheme: 'malformed-basic' };
  return { scheme: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
