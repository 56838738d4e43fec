import { alertAccount, serverAccount } from './smtp-account';

describe('the SMTP account of an alert', () => {
  it.each([
    { smtp: {}, port: 587, implicitTls: false, requireTls: true, opportunistic: false },
    { smtp: { port: 465 }, port: 465, implicitTls: true, requireTls: true, opportunistic: false },
    { smtp: { port: 25, secure: true }, port: 25, implicitTls: false, requireTls: true, opportunistic: false },
    { smtp: { port: 25, secure: false }, port: 25, implicitTls: false, requireTls: false, opportunistic: true },
    {
      smtp: { secure: false, username: 'u', password: 'p' },
      port: 587,
      implicitTls: false,
      requireTls: false,
      opportunistic: false,
    },
  ])(
    'requires TLS with $smtp: $requireTls, from the start: $implicitTls, and accepts any certificate: $opportunistic',
    ({ smtp, ...expected }) => {
      expect(alertAccount({ host: 'mail.example.com', ...smtp })).toMatchObject({ ...expected, operators: false });
    },
  );
});

describe('the SMTP account of the server', () => {
  it.each([
    {
      url: 'smtp://mail.example.com',
      port: 587,
      implicitTls: false,
      requireTls: false,
      opportunistic: true,
      username: null,
    },
    {
      url: 'smtp://mail.example.com:2525',
      port: 2525,
      implicitTls: false,
      requireTls: false,
      opportunistic: true,
      username: null,
    },
    {
      url: 'smtps://mail.example.com',
      port: 465,
      implicitTls: true,
      requireTls: true,
      opportunistic: false,
      username: null,
    },
    {
      url: 'smtp://u%40x:p%3Aw@mail.example.com',
      port: 587,
      implicitTls: false,
      requireTls: true,
      opportunistic: false,
      username: 'u@x',
      password: 'p:w',
    },
  ])('requires TLS at $url: $requireTls', ({ url, ...expected }) => {
    expect(serverAccount(url)).toMatchObject({ host: 'mail.example.com', operators: true, ...expected });
  });
});
