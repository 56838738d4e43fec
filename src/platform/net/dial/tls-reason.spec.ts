import { isTlsError, tlsReason } from './tls-reason';

const errorOf = (code: string, more: Partial<NodeJS.ErrnoException> = {}) =>
  Object.assign(new Error(code), { code, ...more }) as NodeJS.ErrnoException;

/** The alerts in RFC 8446, section 6, named as in OpenSSL's errors when the peer sends them. */
const ALERTS = [
  'SSLV3_ALERT_CLOSE_NOTIFY',
  'SSLV3_ALERT_UNEXPECTED_MESSAGE',
  'SSLV3_ALERT_BAD_RECORD_MAC',
  'TLSV1_ALERT_DECRYPTION_FAILED',
  'TLSV1_ALERT_RECORD_OVERFLOW',
  'SSLV3_ALERT_HANDSHAKE_FAILURE',
  'SSLV3_ALERT_BAD_CERTIFICATE',
  'SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
  'SSLV3_ALERT_CERTIFICATE_REVOKED',
  'SSLV3_ALERT_CERTIFICATE_EXPIRED',
  'SSLV3_ALERT_CERTIFICATE_UNKNOWN',
  'SSLV3_ALERT_ILLEGAL_PARAMETER',
  'TLSV1_ALERT_UNKNOWN_CA',
  'TLSV1_ALERT_ACCESS_DENIED',
  'TLSV1_ALERT_DECODE_ERROR',
  'TLSV1_ALERT_DECRYPT_ERROR',
  'TLSV1_ALERT_PROTOCOL_VERSION',
  'TLSV1_ALERT_INSUFFICIENT_SECURITY',
  'TLSV1_ALERT_INTERNAL_ERROR',
  'TLSV1_ALERT_INAPPROPRIATE_FALLBACK',
  'TLSV1_ALERT_USER_CANCELLED',
  'TLSV13_ALERT_MISSING_EXTENSION',
  'TLSV1_ALERT_UNSUPPORTED_EXTENSION',
  'TLSV1_UNRECOGNIZED_NAME',
  'TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
];

describe('the reason why a TLS handshake failed', () => {
  const names = ALERTS.flatMap((name) => [name, name.replace(/^(SSLV3|TLSV1|TLSV13)_/, 'SSL/TLS_')]);
  it.each(names)('is explained for the alert %s', (name) => {
    const words = tlsReason(errorOf(`ERR_SSL_${name}`));
    expect(words).not.toMatch(/alert|sslv3|tlsv1/i);
    expect(words).toMatch(/^(it|there|the server) /);
  });

  it.each([
    ['UNSAFE_LEGACY_RENEGOTIATION_DISABLED', 'it does not support secure renegotiation (RFC 5746) and needs an update'],
    ['TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it requires a client certificate, which checks do not send'],
    ['DH_KEY_TOO_SMALL', 'its key exchange is too weak (Diffie-Hellman)'],
    ['EE_KEY_TOO_SMALL', 'a key or signature of its certificates is too weak'],
    ['UNSUPPORTED_PROTOCOL', 'it offers only outdated versions of TLS'],
    ['WRONG_VERSION_NUMBER', 'the server does not support TLS'],
    ['SOMETHING_NEW', 'something new'],
    ['', 'unknown reason'],
  ])('is for %s: %s', (name, words) => {
    expect(tlsReason(errorOf(name === '' ? '' : `ERR_SSL_${name}`))).toBe(words);
  });
});

it.each([
  [errorOf('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), true],
  [
    Object.assign(errorOf('EPROTO', { syscall: 'write' }), { message: 'write EPROTO 00:error:0A000412:SSL routines' }),
    true,
  ],
  [errorOf('EPROTO', { syscall: 'read' }), false],
  [errorOf('ECONNRESET', { syscall: 'read' }), false],
])('$code is a TLS error: %s', (error, isTls) => {
  expect(isTlsError(error)).toBe(isTls);
});
