import { describe, expect, test } from 'vitest';
import { addressKind, hostAllowed } from '../../src/network/address.ts';

describe('an address', () => {
  test.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.0', '2606:4700::1111'])(
    '%s is public',
    (address) => {
      expect(addressKind(address)).toBe('public');
    },
  );

  test.each(['127.0.0.1', '127.255.255.254', '::1', '[::1]', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
    expect(addressKind(address)).toBe('loopback');
  });

  test.each([
    ['0.0.0.0', 'unspecified'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'cloud metadata'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['198.18.0.1', 'benchmarking'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fc00::1', 'unique local'],
    ['ff02::1', 'multicast'],
    ['::ffff:169.254.169.254', 'IPv4-mapped metadata'],
    ['::ffff:8.8.8.8', 'IPv4-mapped at all'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 of metadata'],
    ['2002:a9fe:a9fe::1', '6to4 of metadata'],
    ['2001:0:1::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['example.com', 'a name'],
    ['', 'nothing'],
  ])('%s is private (%s)', (address) => {
    expect(addressKind(address)).toBe('private');
  });
});

test('a list of hosts means the host itself, or any below it with a star', () => {
  const hosts = ['audio.example.com', '*.cdn.example.net'];
  const meant = ['audio.example.com', 'AUDIO.example.com.', 'eu.cdn.example.net', 'a.b.cdn.example.net'];
  const others = ['cdn.example.net', 'evilcdn.example.net', 'x.audio.example.com', 'audio.example.com.evil.org'];
  expect([...meant, ...others].filter((host) => hostAllowed(host, hosts))).toEqual(meant);
});
