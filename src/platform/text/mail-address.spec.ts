import { isMailAddress, mailDomain, onTheWire, parseSender } from './mail-address';

describe('an email address', () => {
  it.each([
    ['ops@example.com', 'ops@example.com'],
    ["o'b+x=1@mail.example.com", "o'b+x=1@mail.example.com"],
    ['ada@münchen.test', 'ada@xn--mnchen-3ya.test'],
    ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['jürgen@example.com', 'jürgen@example.com'],
    ['用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
    ['ops@localhost', 'ops@localhost'],
  ])('%s is sent to %s', (address, wire) => {
    expect([isMailAddress(address), onTheWire(address), mailDomain(address)]).toEqual([
      true,
      wire,
      wire.slice(wire.indexOf('@') + 1),
    ]);
  });

  it.each([
    '',
    '@example.com',
    'ops',
    'ops@',
    'ops@-a.com',
    'ops@a..com',
    'a b@example.com',
    'a@b@example.com',
    '"a"@example.com',
    'a,b@example.com',
    '<a@example.com>',
    'a@example.com\r\nBcc: b@example.com',
    'a\u00a0b@example.com',
    'a\u200bb@example.com',
    'a\u202eb@example.com',
    'a@exa mple.com',
    'a@[192.0.2.1]',
    `${'ü'.repeat(33)}@example.com`,
    `a@${'x'.repeat(64)}.com`,
    `a@${'ü.'.repeat(120)}com`,
  ])('cannot be %j', (text) => {
    expect(isMailAddress(text)).toBe(false);
  });
});

describe('a sender', () => {
  it.each([
    ['uptime@example.com', { name: '', address: 'uptime@example.com' }],
    ['Uptime <uptime@example.com>', { name: 'Uptime', address: 'uptime@example.com' }],
    ['"Uptime, Inc." <uptime@example.com>', { name: 'Uptime, Inc.', address: 'uptime@example.com' }],
    ['<uptime@example.com>', { name: '', address: 'uptime@example.com' }],
    ['a@example.com, b@example.com', null],
    ['A <a@example.com>, B <b@example.com>', null],
    ['Uptime <uptime@example.com>\r\nBcc: x@example.com', null],
    ['Uptime', null],
    ['', null],
  ])('%j is read as %j', (text, sender) => {
    expect(parseSender(text)).toEqual(sender);
  });
});
