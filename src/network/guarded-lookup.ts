import type { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressKind, addressKind } from './address.ts';

/** Wraps a resolver so that it only returns addresses of the given kinds, whatever the name. */
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

/** A name has no colon and does not end in a number: the URL parser turned everything else into an address. */
export const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
