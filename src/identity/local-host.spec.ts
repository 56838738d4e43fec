import { isOwnHost } from './local-host';

describe('isOwnHost', () => {
  const localAddress = '::ffff:192.168.1.5';

  it.each([
    'localhost',
    'LOCALHOST:3000',
    'uptime.localhost:3000',
    '127.0.0.1:3000',
    '127.8.8.8',
    '[::1]:3000',
    '192.168.1.5:3000',
    'nas.lan:3000',
    'nas.lan',
    'exact.lan:8080',
  ])('accepts %s as a host of the service', (host) => {
    expect(isOwnHost({ host, localAddress }, ['nas.lan', 'exact.lan:8080'])).toBe(true);
  });

  it.each([
    undefined,
    '',
    'evil.example:3000',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    'evil@localhost',
    'localhost/evil.example',
    '192.168.1.6:3000',
    'exact.lan:3000',
    '[::2]:3000',
    '[fe80::1',
    'a b',
  ])('refuses %j, which a hostile page may control', (host) => {
    expect(isOwnHost({ host, localAddress }, ['nas.lan', 'exact.lan:8080'])).toBe(false);
  });

  it('accepts the IPv6 address that the request came to, in any notation', () => {
    expect(isOwnHost({ host: '[2001:DB8:0::5]:3000', localAddress: '2001:db8::5' }, [])).toBe(true);
  });
});
