import { bracketed, normalizeHost } from './host-name';

describe('normalizeHost', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com.', 'example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['my_service', 'my_service'],
    ['db-1', 'db-1'],
    ['8.8.8.8', '8.8.8.8'],
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['１２７.０.０.１', '127.0.0.1'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['[2001:DB8:0:0::1]', '2001:db8::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
  ])('turns the host %s into %s', (text, host) => {
    expect(normalizeHost(text)).toBe(host);
  });

  it.each([
    '',
    '.',
    'a..b',
    '-a.com',
    'a-.com',
    `${'a'.repeat(64)}.com`,
    `${'abcdefgh.'.repeat(30)}com`,
    'a b',
    'a\tb',
    'a\nb',
    'a\u0000b',
    'a\u00adb',
    'a\u200bb',
    'user@host',
    'host:80',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    '%6c%6fcalhost',
    '256.1.1.1',
    '1.2.3.4.5',
    '[::1',
    '::1]',
    '[1.2.3.4]',
    '[fe80::1%lo]',
    'fe80::1%lo',
    ':::',
    '\ud800.com',
    '*.example.com',
  ])('refuses %p as a host', (text) => {
    expect(normalizeHost(text)).toBeNull();
  });

  it('bracketed() puts brackets around an IPv6 address only', () => {
    expect(['::1', '127.0.0.1', 'example.com'].map(bracketed)).toEqual(['[::1]', '127.0.0.1', 'example.com']);
  });
});
