import { certificateWarning } from './certificate-warning';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const endingIn = (days: number) => ({
  expiresAt: new Date(NOW + days * 86_400_000).toISOString(),
  issuer: 'CN=R11',
  subject: 'CN=shop.example.com',
  names: ['shop.example.com'],
});

describe('a certificate', () => {
  it.each<[number, number | null, string | null]>([
    [15, 14, null],
    [14.9, 14, 'The certificate expires in 14 days, on 2026-12-05.'],
    [9.5, 14, 'The certificate expires in 9 days, on 2026-11-30.'],
    [1.5, 14, 'The certificate expires in 1 day, on 2026-11-22.'],
    [0.5, 14, 'The certificate expires within a day, on 2026-11-21.'],
    [-1.5, 14, 'The certificate expired on 2026-11-19.'],
    [0.5, 0, 'The certificate expires within a day, on 2026-11-21.'],
    [1.5, 0, null],
    [9.5, null, null],
  ])('that ends in %d days, warned of from %s on: %s', (days, warnDays, message) => {
    const expected = message === null ? null : { code: 'certificate_expiring', phase: 'tls', message };
    expect(certificateWarning(endingIn(days), warnDays, NOW)).toEqual(expected);
  });

  it('that no check saw warns of nothing', () => {
    expect(certificateWarning(null, 14, NOW)).toBeNull();
  });
});
