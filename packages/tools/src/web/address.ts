/** Detects addresses of this machine and its network. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}

/** The only part of the IPv6 address space that is assigned to the public. */
const PUBLIC6 = new BlockList();
PUBLIC6.addSubnet('2000::', 3, 'ipv6');
/** Special ranges in it: documentation, benchmarks, tunnels with an IPv4 address inside. */
const PRIVATE6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  PRIVATE6.addSubnet(network, prefix, 'ipv6');
}

export function isPrivate(address: string): boolean {
  if (isIPv4(address)) return PRIVATE.check(address, 'ipv4');
  if (isIP(address) === 0) return true;
  return !PUBLIC6.check(address, 'ipv6') || PRIVATE6.check(address, 'ipv6');
}

/** Resolves a name here and now. The connection goes only to one of these addresses. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** Throws if a host may not be contacted. `isAllowed`: private addresses are permitted. */
export async function resolveAddress(host: string, isAllowed: boolean, resolve: Resolve): Promise<Address> {
  const bare = host.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  const found: readonly Address[] =
    family === 0 ? await resolve(bare) : [{ address: bare, family: family === 6 ? 6 : 4 }];
  const [first] = found;
  if (!first) throw new Error(`${host} has no address.`);
  // A private address among public ones is an attack.
  const inside = found.find(({ address }) => isPrivate(address));
  if (inside && !isAllowed) throw privateAddress(host, inside.address);
  return first;
}

/** The same check for hosts that need no lookup. */
export function rejectKnownPrivate(host: string, isAllowed: boolean): void {
  const bare = host.replace(/^\[|\]$/g, '');
  const isOurs = /(^|\.)localhost\.?$/i.test(bare);
  if (isAllowed || !(isOurs || (isIP(bare) !== 0 && isPrivate(bare)))) return;
  throw privateAddress(host, isOurs ? 'this machine' : bare);
}

function privateAddress(host: string, address: string): Error {
  const is = host === address ? 'is' : `is ${address},`;
  return new Error(
    `${host} ${is} a private address. Those are fetched only if a rule names the address itself, or a local name such as localhost: WebFetch(domain:${address === 'this machine' ? host : address}).`,
  );
}
