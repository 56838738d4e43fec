import { alertAccount, parseSender, serverAccount } from './smtp-account';

describe('the mail account of an alert', () => {
  it.each([
    { smtp: {}, port: 587, implicitTls: false, requireTls: true },
    { smtp: { port: 465 }, port: 465, implicitTls: true, requireTls: true },
    { smtp: { port: 25, secure: true }, port: 25, implicitTls: false, requireTls: true },
    { smtp: { port: 25, secure: false }, port: 25, implicitTls: false, requireTls: false },
  ])('with $smtp demands TLS: $requireTls, from the start: $implicitTls', ({ smtp, ...expected }) => {
    expect(alertAccount({ host: 'mail.example.com', ...smtp })).toMatchObject({ ...expected, operators: false });
  });
});

describe('the mail account of the server', () => {
  it.each([
    { url: 'smtp://mail.example.com', port: 587, implicitTls: false, requireTls: false, username: null },
    { url: 'smtp://mail.example.com:2525', port: 2525, implicitTls: false, requireTls: false, username: null },
    { url: 'smtps://mail.example.com', port: 465, implicitTls: true, requireTls: true, username: null },
    {
      url: 'smtp://u%40x:p%3Aw@mail.example.com',
      port: 587,
      implicitTls: false,
      requireTls: true,
      username: 'u@x',
      password: 'p:w',
    },
  ])('at $url demands TLS: $requireTls', ({ url, ...expected }) => {
    expect(serverAccount(url)).toMatchObject({ host: 'mail.example.com', operators: true, ...expected });
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
