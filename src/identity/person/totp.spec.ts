import { codeAt, newTotpSecret, stepAt, stepOf, toBase32, totpUri } from './totp';

/** The SHA-1 secret from RFC 6238, appendix B. */
const SECRET = Buffer.from('12345678901234567890');

describe('a code of an authenticator app', () => {
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('matches RFC 6238 at %i seconds', (seconds, expected) => {
    const step = stepAt(new Date(seconds * 1000));
    expect(codeAt(SECRET, step, 8)).toBe(expected);
    expect(codeAt(SECRET, step)).toBe(expected.slice(2));
  });

  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('has its secret in base32 as RFC 4648 writes “%s”', (text, expected) => {
    expect(toBase32(Buffer.from(text))).toBe(expected);
  });

  const NOW = new Date(1_111_111_111_000);
  const now = stepAt(NOW);
  it.each([
    [-2, null],
    [-1, now - 1],
    [0, now],
    [1, now + 1],
    [2, null],
  ])('is accepted %i steps from now: %s', (steps, expected) => {
    expect(stepOf(SECRET, codeAt(SECRET, now + steps), NOW, 0)).toBe(expected);
  });

  it('is accepted once, and afterwards neither it nor an earlier one is accepted', () => {
    expect(stepOf(SECRET, codeAt(SECRET, now), NOW, now)).toBeNull();
    expect(stepOf(SECRET, codeAt(SECRET, now - 1), NOW, now)).toBeNull();
    expect(stepOf(SECRET, codeAt(SECRET, now + 1), NOW, now)).toBe(now + 1);
  });

  it.each(['', '05047', '0504710', 'abcdef'])('cannot be “%s”', (code) => {
    expect(stepOf(SECRET, code, NOW, 0)).toBeNull();
  });

  it('has a secret of 160 random bits, which an app reads from a URI', () => {
    expect([newTotpSecret().length, newTotpSecret().equals(newTotpSecret())]).toEqual([20, false]);
    expect(totpUri(SECRET, 'Uptime: shop', 'ada+x@example.com')).toBe(
      'otpauth://totp/Uptime%3A%20shop:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Uptime%3A%20shop',
    );
  });
});
