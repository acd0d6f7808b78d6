import { isUtf8 } from 'node:buffer';

/** Credentials of an `Authorization` header, decoded but not yet checked. */
export type Credentials =
  | { scheme: 'bearer'; token: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'malformed-basic' };

/**
 * Reads an `Authorization` header. Returns undefined when it is missing, empty, of an unknown scheme or without
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

/** RFC 4648, section 4; the padding may be missing. Node itself skips what does not belong there. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Decodes a user-id and a password (RFC 7617). Rejects bytes that are not UTF-8, which would all become U+FFFD and
 * could turn two users into one, and NUL, where other programs end a string.
 */
function readBasic(value: string): Credentials {
  if (!BASE64.test(value)) return { scheme: 'malformed-basic' };
  const bytes = Buffer.from(value, 'base64');
  const colon = bytes.indexOf(':');
  if (colon < 0 || bytes.includes(0) || !isUtf8(bytes)) return { scheme: 'malformed-basic' };
  return { scheme: 'basic', username: bytes.toString('utf8', 0, colon), password: bytes.toString('utf8', colon + 1) };
}
