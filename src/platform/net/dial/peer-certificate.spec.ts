import type { PeerCertificate } from 'node:tls';
import { certificateProblem, describeCertificate } from './peer-certificate';

const certificate = (more: Partial<Record<keyof PeerCertificate, unknown>>): PeerCertificate =>
  ({
    subject: { CN: 'www.example.com' },
    issuer: { C: 'US', O: 'An Authority', CN: 'R3' },
    subjectaltname: 'DNS:www.example.com, DNS:example.com, IP Address:192.0.2.1',
    valid_from: 'Jan  1 00:00:00 2026 GMT',
    valid_to: 'Nov 20 12:30:00 2026 GMT',
    ...more,
  }) as PeerCertificate;

describe('A certificate that was shown', () => {
  it('is described by its dates and names', () => {
    expect(describeCertificate(certificate({}))).toEqual({
      expiresAt: '2026-11-20T12:30:00.000Z',
      issuer: 'R3',
      subject: 'www.example.com',
      names: ['www.example.com', 'example.com', '192.0.2.1'],
    });
  });

  it('may have no common name, several, or none at all', () => {
    expect(describeCertificate(certificate({ subject: { O: 'Only Ltd' } }))?.subject).toBe('Only Ltd');
    expect(describeCertificate(certificate({ subject: { CN: ['first', 'second'] } }))?.subject).toBe('first');
    expect(describeCertificate(certificate({ subject: {}, issuer: undefined }))).toMatchObject({
      subject: '',
      issuer: '',
    });
  });

  it('may carry hostile names: they are cut, counted and stripped of what steers terminals', () => {
    const names = Array.from({ length: 500 }, (_, i) => `DNS:${i}.${'x'.repeat(500)}`).join(', ');
    const described = describeCertificate(certificate({ subjectaltname: names, subject: { CN: 'a\u001b[31m\nb' } }));
    expect(described?.names).toHaveLength(20);
    expect(Math.max(...(described?.names ?? []).map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(described?.subject).toBe('a[31mb');
  });

  it('with commas in a quoted name is not taken apart there', () => {
    const described = describeCertificate(certificate({ subjectaltname: 'DNS:"a, DNS:evil.example", DNS:b.example' }));
    expect(described?.names).toEqual(['"a, DNS:evil.example"', 'b.example']);
  });

  it('without a readable date is not described', () => {
    expect(describeCertificate(certificate({ valid_to: 'never' }))).toBeNull();
    expect(describeCertificate({} as PeerCertificate)).toBeNull();
  });
});

describe('A verdict on a certificate', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'tls_expired', 'The certificate of a.example expired on 2026-11-20.'],
    [
      'CERT_NOT_YET_VALID',
      'tls_not_yet_valid',
      'The certificate of a.example is not valid yet; it starts on 2026-01-01.',
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_hostname_mismatch', 'The certificate is not made for a.example.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_untrusted', 'The certificate of a.example is self-signed.'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'tls_untrusted',
      'The certificate of a.example comes from an authority we do not trust.',
    ],
    ['CERT_REVOKED', 'tls_untrusted', 'The certificate of a.example is not trusted (CERT_REVOKED).'],
  ])('%s is told as %s', (verdict, code, message) => {
    expect(certificateProblem(verdict, 'a.example', certificate({}))).toEqual({ code, message });
  });
});
