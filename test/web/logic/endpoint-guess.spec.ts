import { guessEndpoint } from '../../../web/src/logic/endpoint-guess';

describe('guessing an endpoint from pasted text', () => {
  it.each([
    [
      'https://shop.example.com/checkout',
      'HTTPS',
      'https://shop.example.com/checkout',
      'shop.example.com/checkout',
      'https://shop.example.com/',
    ],
    ['http://www.example.com', 'HTTP', 'http://www.example.com/', 'example.com', 'http://www.example.com/'],
    ['example.com', 'HTTPS', 'https://example.com/', 'example.com', 'https://example.com/'],
    ['example.com/path?q=1', 'HTTPS', 'https://example.com/path?q=1', 'example.com/path', 'https://example.com/'],
    ['localhost:8080', 'HTTP', 'http://localhost:8080/', 'localhost:8080', 'http://localhost:8080/'],
    ['db.example.com:5432', 'TCP', 'tcp://db.example.com:5432', 'db.example.com port 5432', 'http://db.example.com/'],
    [
      'rediss://cache.example:6380',
      'REDIS',
      'rediss://cache.example:6380',
      'cache.example:6380 REDIS',
      'http://cache.example/',
    ],
    ['postgres://db/shop', 'POSTGRES', 'postgres://db/shop', 'db/shop POSTGRES', 'http://db/'],
    ['bastion:22', 'SSH', 'ssh://bastion:22', 'bastion SSH', 'http://bastion/'],
    ['198.51.100.7', 'ICMP', 'icmp://198.51.100.7', '198.51.100.7 ping', 'http://198.51.100.7/'],
    ['[2001:db8::1]', 'ICMP', 'icmp://[2001:db8::1]', '[2001:db8::1] ping', 'http://[2001:db8::1]/'],
    [
      'tcp://mail.example.com:25',
      'TCP',
      'tcp://mail.example.com:25',
      'mail.example.com:25 TCP',
      'http://mail.example.com/',
    ],
    [
      'dns://ns1.example.com/example.com?type=MX',
      'DNS',
      'dns://ns1.example.com/example.com?type=MX',
      'ns1.example.com/example.com DNS',
      'http://example.com/',
    ],
    ['dns:example.com', 'DNS', 'dns:example.com', 'example.com DNS', 'http://example.com/'],
    ['  example.com:443 ', 'HTTPS', 'https://example.com/', 'example.com', 'https://example.com/'],
  ])('guesses that %p is %s', (input, type, url, name, site) => {
    const guess = guessEndpoint(input);
    expect([guess?.type, guess?.url, guess?.name, guess?.website.url]).toEqual([type, url, name, site]);
  });

  it.each(['', 'shop', 'example.com:99999', 'two words', 'https://', 'ftp://example.com'])(
    'guesses nothing from %p',
    (input) => expect(guessEndpoint(input)).toBeNull(),
  );
});
