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

describe('describeCertificate', () => {
  it('gives the dates and names of a certificate', () => {
    expect(describeCertificate(certificate({}))).toEqual({
      expiresAt: '2026-11-20T12:30:00.000Z',
      issuer: 'R3',
      subject: 'www.example.com',
      names: ['www.example.com', 'example.com', '192.0.2.1'],
      authority: null,
    });
  });

  it('gives the end of an authority that ends before the certificate, and its name', () => {
    const authority = { name: 'R3', startsAt: 0, endsAt: Date.parse('2026-11-01') };
    expect(describeCertificate(certificate({}), authority)).toMatchObject({
      expiresAt: '2026-11-01T00:00:00.000Z',
      authority: 'R3',
    });
  });

  it('takes the first common name, else the organization, else nothing', () => {
    expect(describeCertificate(certificate({ subject: { O: 'Only Ltd' } }))?.subject).toBe('Only Ltd');
    expect(describeCertificate(certificate({ subject: { CN: ['first', 'second'] } }))?.subject).toBe('first');
    expect(describeCertificate(certificate({ subject: {}, issuer: undefined }))).toMatchObject({
      subject: '',
      issuer: '',
    });
  });

  it('cuts long names, limits their number and removes control characters', () => {
    const names = Array.from({ length: 500 }, (_, i) => `DNS:${i}.${'x'.repeat(500)}`).join(', ');
    const described = describeCertificate(certificate({ subjectaltname: names, subject: { CN: 'a\u001b[31m\nb' } }));
    expect(described?.names).toHaveLength(20);
    expect(Math.max(...(described?.names ?? []).map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(described?.subject).toBe('a[31mb');
  });

  it('does not split a quoted name at its commas', () => {
    const described = describeCertificate(certificate({ subjectaltname: 'DNS:"a, DNS:evil.example", DNS:b.example' }));
    expect(described?.names).toEqual(['"a, DNS:evil.example"', 'b.example']);
  });

  it('returns null without a readable date', () => {
    expect(describeCertificate(certificate({ valid_to: 'never' }))).toBeNull();
    expect(describeCertificate({} as PeerCertificate)).toBeNull();
  });
});

const NOW = Date.parse('2026-11-28');

describe('certificateProblem', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'tls_expired', 'The certificate of a.example expired on 2026-11-20.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_hostname_mismatch', 'The certificate is not valid for a.example.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_untrusted', 'The certificate of a.example is self-signed.'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'tls_untrusted',
      'The certificate of a.example was issued by an authority that is not trusted.',
    ],
    ['CERT_REVOKED', 'tls_untrusted', 'The certificate of a.example is not trusted (CERT_REVOKED).'],
  ])('turns %s into %s', (reason, code, message) => {
    expect(certificateProblem(reason, 'a.example', certificate({}), [], NOW)).toEqual({ code, message });
  });

  it('says when a certificate that is not valid yet starts', () => {
    const future = certificate({ valid_from: 'Jan  1 00:00:00 2027 GMT' });
    expect(certificateProblem('CERT_NOT_YET_VALID', 'a.example', future, [], NOW)).toEqual({
      code: 'tls_not_yet_valid',
      message: 'The certificate of a.example is not valid yet; it starts on 2027-01-01.',
    });
  });

  const authority = (name: string, from: string, until: string) => ({
    name,
    startsAt: Date.parse(from),
    endsAt: Date.parse(until),
  });
  const good = authority('Good', '2020-01-01', '2040-01-01');
  const lasting = certificate({ valid_from: 'Jan  1 00:00:00 2026 GMT', valid_to: 'Jan  1 00:00:00 2030 GMT' });

  it.each([
    [
      'CERT_HAS_EXPIRED',
      [good, authority('Old', '2020-01-01', '2026-11-20')],
      'The certificate of the authority "Old" in the chain of a.example expired on 2026-11-20.',
    ],
    ['CERT_HAS_EXPIRED', [good], 'The certificate of an authority in the chain of a.example expired.'],
    [
      'CERT_NOT_YET_VALID',
      [authority('New', '2026-12-24', '2040-01-01')],
      'The certificate of the authority "New" in the chain of a.example is not valid yet; it starts on 2026-12-24.',
    ],
    ['CERT_NOT_YET_VALID', [good], 'The certificate of an authority in the chain of a.example is not valid yet.'],
  ])('says of %s which certificate of the chain it is about (%#)', (reason, authorities, message) => {
    expect(certificateProblem(reason, 'a.example', lasting, authorities, NOW).message).toBe(message);
  });
});
