import { isIP } from 'node:net';

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** An http(s) URL to which paths can be appended. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
}

/** A base URL that uses https or stays on this machine. */
export const isIssuer = (text: string): boolean =>
  isBaseUrl(text) && (new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname));

export const isHttpUrl = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text);

export const isRedisUrl = (text: string): boolean => /^rediss?:\/\/./.test(text) && URL.canParse(text);

export const isDatabaseUrl = (text: string): boolean =>
  /^sqlite:.+/.test(text) || (/^mysql:\/\/[^/]+\/[^/?#]+$/.test(text) && URL.canParse(text));

/** An existing day as `yyyy-mm-dd`. */
export const isDate = (text: string): boolean => {
  const instant = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
};

/** A value for Express's `trust proxy`: a number of hops, true, false, or a list of IP addresses and ranges. */
export const isTrustProxy = (text: string): boolean =>
  /^(\d{1,3}|true|false)$/i.test(text) || text.split(',').every((item) => isAddressRange(item.trim()));

function isAddressRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', range, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (range === undefined) return true;
  if (/^\d{1,3}$/.test(range)) return Number(range) >= 1 && Number(range) <= (version === 4 ? 32 : 128);
  return version === 4 && isIP(range) === 4;
}
