import { settingHints } from './setting-hints';

describe('the hints about settings at the start', () => {
  it.each<[string | null, string | null, string[]]>([
    [null, null, []],
    ['smtp://relay', 'Uptime <uptime@example.com>', []],
    ['smtp://uptime%40example.com:x@relay', null, []],
    ['smtp://relay', null, ['SMTP_URL has no sender']],
    ['smtp://uptime:x@relay', null, ['SMTP_URL has no sender']],
    [
      'smtp://relay?ignoreTLS=true&pool=1&pool=2',
      'a@b.example',
      ['SMTP_URL has parameters that have no effect ("ignoreTLS", "pool")'],
    ],
  ])('SMTP_URL=%s and SMTP_FROM=%s: %j', (smtpUrl, smtpFrom, beginnings) => {
    const hints = settingHints({ smtpUrl, smtpFrom });
    expect(hints.map((hint, index) => hint.slice(0, beginnings[index]?.length))).toEqual(beginnings);
    expect(hints.join()).not.toContain('relay');
  });
});
