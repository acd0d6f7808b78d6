import type { Request } from 'express';
import type { Settings } from '../../config/settings.js';

/**
 * `scheme://host[:port]` as the client sees the service, without a trailing slash: PUBLIC_URL, or else derived from the
 * request. Forwarded headers count if the proxy is trusted and they are well-formed.
 */
export function publicUrl(request: Request, settings: Pick<Settings, 'publicUrl'>): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  return `${schemeOf(request)}://${[request.host, request.headers.host].find(isHost) ?? 'localhost'}`;
}

/** The URL of the documentation: DOCUMENTATION_URL, or else the service's own. */
export const documentationUrl = (
  request: Request,
  settings: Pick<Settings, 'publicUrl' | 'documentationUrl'>,
): string => settings.documentationUrl ?? `${publicUrl(request, settings)}/docs`;

/** The scheme that the client used, `http` or `https`. */
export function schemeOf({ protocol, socket }: Request): 'http' | 'https' {
  if (protocol === 'http' || protocol === 'https') return protocol;
  return 'encrypted' in socket ? 'https' : 'http';
}

const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);

/** True for any valid value of a `Host` header (RFC 9110, section 7.2), whether or not that host can exist. */
export const isHostHeader = (text: string): boolean =>
  /^(\[[0-9a-fv:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(:\d*)?$/i.test(text);
