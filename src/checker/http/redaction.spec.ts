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
  warning: null,
});

describe('a result without the values of the request’s headers', () => {
  it.each([
    { name: 'the whole value', value: 'P@ss w0rd!', message: 'it was P@ss w0rd!.', shown: 'it was (hidden).' },
    {
      name: 'the token after Bearer',
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

  it.each([
    ['next to each other', 'tok-4f9a1c77tok-4f9a1c77 and abcdef123456', '(hidden)(hidden) and (hidden)'],
    ['one that starts with another', 'tok-4f9a1c77-and-more, tok-4f9a1c77-and', '(hidden), (hidden)-and'],
    ['the first letters of one, where the text was cut', 'it was tok-4f9a1…. Next', 'it was (hidden)…. Next'],
    ['the first letters of one, at the end', 'cut at the end: tok-4f9', 'cut at the end: (hidden)'],
  ])('hides one of several secrets: %s', (_, message, shown) => {
    const headers = [
      { key: 'X-Token', value: 'tok-4f9a1c77' },
      { key: 'X-Tokens', value: 'tok-4f9a1c77-and-more tok-4f9a1c78' },
      { key: 'Cookie', value: 'session=abcdef123456; theme=dark-blue' },
    ];
    expect(redacted(resultWith(message), headers).error?.message).toBe(shown);
  });

  it('hides a secret in a warning', () => {
    const warned: CheckResult = {
      ...resultWith(''),
      outcome: 'up',
      error: null,
      warning: { code: 'assertion_failed', phase: 'assertion', message: 'it was tok-4f9a1c77.' },
    };
    const { warning } = redacted(warned, [{ key: 'X-Token', value: 'tok-4f9a1c77' }]);
    expect(warning).toEqual({ code: 'assertion_failed', phase: 'assertion', message: 'it was (hidden).' });
  });

  it('keeps text that only starts like a secret', () => {
    const headers = [{ key: 'X-Token', value: 'tok-4f9a1c77' }];
    expect(redacted(resultWith('saw tok-4f9, no more'), headers).error?.message).toBe('saw tok-4f9, no more');
  });

  it('keeps words that are only in harmless headers, and short words', () => {
    const headers = [
      { key: 'Accept', value: 'text/html' },
      { key: 'X-Anything', value: 'up' },
    ];
    expect(redacted(resultWith('it was text/html and up'), headers).error?.message).toBe('it was text/html and up');
  });
});
