import { ehloName } from './ehlo-name';

describe('the name that the service sends to a mail server', () => {
  it.each([
    [null, null, 'ops@example.com', 'example.com'],
    [null, 'https://uptime.example.org/monitor', 'ops@example.com', 'uptime.example.org'],
    [null, 'https://bücher.example', 'ops@example.com', 'xn--bcher-kva.example'],
    [null, 'http://localhost:3000', 'ops@example.com', 'example.com'],
    [null, 'http://uptime:3000', 'ops@example.com', 'example.com'],
    [null, 'http://192.0.2.7', 'ops@example.com', 'example.com'],
    [null, 'http://[2001:db8::7]:3000', 'ops@example.com', 'example.com'],
    [null, null, 'ops@münchen.example', 'xn--mnchen-3ya.example'],
    ['mail.example.net', 'https://uptime.example.org', 'ops@example.com', 'mail.example.net'],
  ])('with SMTP_EHLO_NAME %s, PUBLIC_URL %s and the sender %s is %s', (smtpEhloName, publicUrl, sender, name) => {
    expect(ehloName({ smtpEhloName, publicUrl }, sender)).toBe(name);
  });
});
