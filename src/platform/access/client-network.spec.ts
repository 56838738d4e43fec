import type { Request } from 'express';
import { clientAddress, networkOf } from './client-network';

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

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', '192.0.2.1'],
    ['203.0.113.7:4711', '192.0.2.1'],
    [undefined, '192.0.2.1'],
  ])('of what a trusted proxy calls %s is %s', (ip, address) => {
    const socket = { remoteAddress: '::ffff:192.0.2.1' } as Request['socket'];
    expect(clientAddress({ ip, socket })).toBe(address);
  });
});
