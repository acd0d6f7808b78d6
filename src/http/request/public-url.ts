import type { Request } from 'express';
import type { Settings } from '../../config/settings.js';

/**
 * `scheme://host[:port]` as the client sees the service, without trailing slash: PUBLIC_URL, else taken from the request. What
 * a proxy forwards counts where it is trusted and well-formed.
 */
export function publicUrl(request: Request, settings: Pick<Settings, 'publicUrl'>): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  return `${schemeOf(request)}://${[request.host, request.headers.host].find(isHost) ?? 'localhost'}`;
}

/** The scheme that the client used, `http` or `https`. */
export function schemeOf({ protocol, socket }: Request): 'http' | 'https' {
  if (protocol === 'http' || protocol === 'https') return protocol;
  return 'encrypted' in socket ? 'https' : 'http';
}

const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);

/** True for what may stand in a `Host` header (RFC 9110, section 7.2), of which not all is a host that exists. */
export const isHostHeader = (text: string): boolean =>
  /^(\[[0-9a-fv:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(:\d*)?$/i.test(text);
