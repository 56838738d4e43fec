import { constants } from 'node:os';
import { DialError, faultTowards, socketFault } from './dial-error';

const errorOf = (code: string) => Object.assign(new Error(code), { code });

/** The codes in Linux's icmp_err_convert, icmp_unreach, icmp_param, tab_unreach, and icmpv6_err_convert. */
const OF_ICMP = [
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENOPROTOOPT',
  'ECONNREFUSED',
  'EMSGSIZE',
  'EOPNOTSUPP',
  'ENOTSUP',
  'EHOSTDOWN',
  'ENONET',
  'EPROTO',
  'EACCES',
];
const OF_CONNECTIONS = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

describe('a socket error', () => {
  it.each(OF_ICMP)('%s, which an ICMP error causes, is about the target or the route to it', (code) => {
    const { telling, code: named } = socketFault(errorOf(code));
    expect([telling, named]).toEqual(
      code === 'ECONNREFUSED' ? ['target', 'connection_refused'] : ['way', 'host_unreachable'],
    );
  });

  it.each(OF_CONNECTIONS)('%s of an established connection is not an error of the service', (code) => {
    expect(socketFault(errorOf(code)).telling).not.toBe('ours');
  });

  const others = [...Object.keys(constants.errno), 'ENONSENSE', ''].filter(
    (code) => !OF_ICMP.includes(code) && !OF_CONNECTIONS.includes(code),
  );
  it.each(others)('%j, which no other machine can cause, is an error of the service', (code) => {
    expect(socketFault(errorOf(code)).telling).toBe('ours');
  });

  // Every host that supports the address family has a route to the first address, and none has a route to the second.
  const [ROUTED, UNROUTED] = ['127.0.0.1', 'ff02::1%nowhere'];

  it.each(OF_ICMP)('%s is about the route if this machine has a route', async (code) => {
    const { telling } = await faultTowards(ROUTED, errorOf(code));
    expect(telling).toBe(code === 'ECONNREFUSED' ? 'target' : code === 'EACCES' ? 'ours' : 'way');
  });

  it.each(OF_ICMP)('%s is an error of the service if this machine has no route', async (code) => {
    const { telling } = await faultTowards(UNROUTED, errorOf(code));
    expect(telling).toBe(code === 'ECONNREFUSED' ? 'target' : 'ours');
  });

  it.each([
    ['EADDRNOTAVAIL', 'ff02::1%nowhere', 'the monitor has no route to the address'],
    ['EADDRNOTAVAIL', '127.0.0.1', 'the monitor has no free address or port for it'],
    ['EINVAL', '127.0.0.1', 'the monitor has no route to the address'],
    ['EACCES', '127.0.0.1', 'was forbidden by the operating system of the monitor'],
    ['EPERM', '127.0.0.1', "was forbidden by the monitor's own firewall"],
  ])('%s towards %s reads "%s"', async (code, address, words) => {
    expect((await faultTowards(address, errorOf(code))).text).toContain(words);
  });
});

it.each([
  [new DialError('connection_refused', 'connect', '', false), 'target'],
  [new DialError('tls_handshake_failed', 'tls', '', false), 'target'],
  [new DialError('host_unreachable', 'connect', '', false), 'way'],
  [new DialError('connection_timeout', 'connect', '', false), 'silence'],
  [new DialError('aborted', 'connect', '', false), 'silence'],
  [new DialError('monitor_offline', 'connect', '', true), 'ours'],
  [new DialError('target_blocked', 'connect', '', false), 'ours'],
])('the dial error $code is about: %s', (error, telling) => {
  expect(error.telling).toBe(telling);
});
