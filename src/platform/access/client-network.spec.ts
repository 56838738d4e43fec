import express, { type Request } from 'express';
import { clientOf, networkOf, networksOf, readHop } from './client-network';

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::ffff', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['no address', 'no address'],
    [undefined, ''],
  ])('counts %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('networksOf', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.7']],
    ['::ffff:192.0.2.7', ['192.0.2.7']],
    ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/48', '2001:db8::/32']],
    ['2001:db8:1:3::1', ['2001:db8:1:3::/64', '2001:db8:1::/48', '2001:db8::/32']],
    ['no address', ['no address']],
    [undefined, ['']],
  ])('returns the networks of %s, its site, and its provider', (address, networks) => {
    expect(networksOf(address)).toEqual(networks);
  });
});

describe('an entry of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7\t', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['"203.0.113.7:51234"', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['2001:db8:0:0:0:0:0:7:51234', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['"[2001:db8::7]:443"', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:cb00:7107]:443', '203.0.113.7'],
  ])('%j is the address %s', (entry, address) => {
    expect(readHop(entry)).toBe(address);
  });

  it.each(['unknown', '_hidden', '', '-', '203.0.113', '203.0.113.7:', '203.0.113.7:x', '[203.0.113.7', '010.0.0.1'])(
    "%j isn't an address",
    (entry) => {
      expect(readHop(entry)).toBeNull();
    },
  );
});

describe('the client of a request', () => {
  const app = express().set('trust proxy', ['192.0.2.0/24', '2001:db8:a::/48']);
  const clientFor = (from: string, forwarded?: string) =>
    clientOf({ app, headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: from } as Request['socket'] });

  it.each<[string, string, string | undefined, string]>([
    ['the address of the connection, if that is not trusted', '198.51.100.1', '203.0.113.7', '198.51.100.1'],
    ['the address of the proxy, without the header', '192.0.2.1', undefined, '192.0.2.1'],
    ['the address that the proxy reports', '::ffff:192.0.2.1', '203.0.113.7', '203.0.113.7'],
    ['the last address before trusted ones', '192.0.2.1', '198.51.100.9, 203.0.113.7, 192.0.2.5', '203.0.113.7'],
    [
      'the address before a trusted proxy with a port',
      '192.0.2.1',
      '203.0.113.7:51234, 192.0.2.5:40000',
      '203.0.113.7',
    ],
    ['the address before a trusted proxy in brackets', '192.0.2.1', '203.0.113.7, [2001:db8:a::1]:443', '203.0.113.7'],
    ['the first address, if all are trusted', '192.0.2.1', '192.0.2.9, 192.0.2.5', '192.0.2.9'],
    ['the address between empty entries', '192.0.2.1', ', 203.0.113.7,, ', '203.0.113.7'],
  ])('has %s', (_, from, forwarded, address) => {
    expect(clientFor(from, forwarded)).toEqual({ address, isKnown: true });
  });

  it.each([
    ['192.0.2.1', 'unknown', '192.0.2.1'],
    ['192.0.2.1', '203.0.113.7, _hidden, 192.0.2.5', '192.0.2.5'],
  ])(
    'from %s with %s is unknown, and has the address of the proxy that does not forward it',
    (from, forwarded, address) => {
      expect(clientFor(from, forwarded)).toEqual({ address, isKnown: false });
    },
  );
});
