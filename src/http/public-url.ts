import type { Request } from 'express';
import type { Settings } from '../config/settings.js';

/** `scheme://host[:port]` as the client sees the service, without trailing slash: PUBLIC_URL, else taken from the request. */
export function publicUrl(request: Request, settings: Pick<Settings, 'publicUrl'>): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  const host = request.host;
  const isSane = host !== undefined && /^[\w.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i.test(host);
  return `${request.protocol}://${isSane ? host : 'localhost'}`;
}
