import type { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

/** IPv4 networks outside the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // Cloud providers serve a machine's credentials at 169.254.169.254.
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Networks within 2000::/3 that are not public: https://www.iana.org/assignments/iana-ipv6-special-registry */
const PRIVATE_V6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16], // A 6to4 address can contain a private IPv4 address.
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const privateNetworks = new BlockList();
for (const [network, prefix] of PRIVATE_V4) privateNetworks.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_V6) privateNetworks.addSubnet(network, prefix, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** 'public' is the internet, 'loopback' this machine, and 'private' everything else, even text that is no address. */
export type AddressKind = 'public' | 'loopback' | 'private';

export function addressKind(address: string): AddressKind {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) === 0) return 'private';
  const family = isIPv4(bare) ? 'ipv4' : 'ipv6';
  if (loopback.check(bare, family)) return 'loopback';
  // An IPv4 address written as IPv6 (::ffff:a.b.c.d, 64:ff9b::a.b.c.d) lies outside 2000::/3.
  if (family === 'ipv6' && !globalV6.check(bare, family)) return 'private';
  return privateNetworks.check(bare, family) ? 'private' : 'public';
}

/** True if `hostname` matches one of `patterns`, in lower case: `example.com` matches exactly, `*.example.com` any name below. */
export function hostAllowed(hostname: string, patterns: readonly string[]): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) && name.length > pattern.length - 1 : name === pattern,
  );
}

/** A DNS lookup that keeps only a hostname's addresses of the given kinds, and fails if the hostname has none. */
export function guardedLookup(
  resolve: typeof systemLookup,
  kinds: readonly AddressKind[],
  refuse: (hostname: string) => Error,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => kinds.includes(addressKind(address)));
      const first = good[0];
      if (!first) return callback(refuse(hostname), '', 0);
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

/** The URL parser puts IPv6 in brackets and writes IPv4 as four numbers. No other hostname ends in a number. */
export const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
