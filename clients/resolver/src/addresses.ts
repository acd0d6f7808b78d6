import ipaddr from 'ipaddr.js';

/** Public addresses at which clouds serve metadata for the machine alone. */
const METADATA = new Set(['168.63.129.16']);

/** All of IPv6 that is assigned; what is outside stands for another address (RFC 4291), or for nothing. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is one of the public Internet: not private, loopback, link-local, multicast, or such an IPv4 address in an IPv6 one. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // Takes an IPv4 address out of an IPv6 one that maps it.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_IPV6)) return false;
  return parsed.range() === 'unicast' && !METADATA.has(parsed.toString());
}
