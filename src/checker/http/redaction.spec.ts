import type { CheckResult } from '../checker';
import { redacted } from './redaction';

const LONG = Array.from({ length: 400 }, (_, i) => `token${i}`).join('.');

const resultWith = (message: string, redirects: string[] = []): CheckResult => ({
  outcome: 'down',
  durationMs: 1,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: 200,
  address: '192.0.2.1',
  certificate: null,
  records: null,
  redirects,
  error: { code: 'assertion_failed', phase: 'assertion', message },
});

describe('a result without the values of the request’s headers', () => {
  it.each([
    { name: 'the whole value', value: 'P@ss w0rd!', message: 'it was P@ss w0rd!.', shown: 'it was (hidden).' },
    {
      name: 'the token behind Bearer',
      value: 'Bearer s3cret-token',
      message: 'saw s3cret-token',
      shown: 'saw (hidden)',
    },
    { name: 'a value of four characters', value: 'k3y!', message: 'saw k3y! there', shown: 'saw (hidden) there' },
    { name: 'a long value that was cut', value: LONG, message: `saw ${LONG.slice(0, 90)}…`, shown: 'saw (hidden)…' },
    { name: 'a value as a URL spells it', value: 'a b/c&d', message: 'saw a%20b%2Fc%26d', shown: 'saw (hidden)' },
    { name: 'a value twice', value: 's3cret-x', message: 's3cret-x, s3cret-x', shown: '(hidden), (hidden)' },
  ])('hides $name', ({ value, message, shown }) => {
    const result = redacted(resultWith(message, [`https://a.example/${message}`]), [{ key: 'X-Anything', value }]);
    expect(result.error?.message).toBe(shown);
    expect(result.redirects).toEqual([`https://a.example/${shown}`]);
  });

  it('keeps words that only harmless headers hold, and short ones', () => {
    const headers = [
      { key: 'Accept', value: 'text/html' },
      { key: 'X-Anything', value: 'up' },
    ];
    expect(redacted(resultWith('it was text/html and up'), headers).error?.message).toBe('it was text/html and up');
  });
});
