import { isIPv6 } from 'node:net';

/** As some proxies write it in `X-Forwarded-For`, with the port of the connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;
const MAPPED = /^::ffff:([\d.]+)$/i;

/**
 * What the requests of an IP address are counted as. A host with IPv6 has a network of 64 bits, and may use another
 * address of it for each request, so they count together. IPv4 that is mapped into IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  const [, ipv6, other] = WITH_PORT.exec(address) ?? [];
  const ip = (ipv6 ?? other ?? address).split('%', 1)[0]!;
  if (!isIPv6(ip)) return ip;
  const [, ipv4] = MAPPED.exec(ip) ?? [];
  if (ipv4) return ipv4;
  // A URL has the one canonical form, in which `::` may stand for any number of zeros.
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [first, last] = canonical.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = last ? Array<string>(8 - first!.length - last.length).fill('0') : [];
  return [...first!, ...zeros, ...(last ?? [])].slice(0, 4).join(':');
}
