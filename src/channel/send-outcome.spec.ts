import { outcomeOfResponse, publicError, quoting, retryAfterMs } from './send-outcome';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

describe('the wait time that a provider requests', () => {
  it.each<[unknown, number | null]>([
    ['30', 30_000],
    [' 30 ', 30_000],
    ['0', 5000],
    ['2.5', 5000],
    ['64.57', 64_570],
    [64.57, 64_570],
    [0.2, 5000],
    ['864000', 3_600_000],
    [1e12, 3_600_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 5000],
    ['Mon, 30 Nov 2026 12:00:00 GMT', 3_600_000],
    ['-5', null],
    [-5, null],
    ['soon', null],
    ['', null],
    ['1e9', null],
    ['2026-11-20', null],
    ['12345678901234567890', null],
    [Number.NaN, null],
    [Infinity, null],
    [undefined, null],
    [null, null],
    [{}, null],
  ])('given as %j is %j ms', (value, ms) => {
    expect(retryAfterMs(value, NOW)).toBe(ms);
  });
});

const outcome = (status: number, reading = {}, headers = {}) =>
  outcomeOfResponse('Slack', { status, headers }, { delivered: false, ...reading }, NOW, quoting('1.1.1.1', []));

describe('the outcome of a response', () => {
  it('judges a response by the status in its body, but reports the status of the response', () => {
    expect(outcome(200, { status: 429 })).toMatchObject({ result: 'retry', status: 200 });
  });

  it('prefers the retry time in the body to the retry time in the header', () => {
    const headers = { 'retry-after': '60' };
    expect(outcome(429, { retryAfterSeconds: 7.5 }, headers)).toMatchObject({ retryAfterMs: 7500 });
    expect(outcome(429, { retryAfterSeconds: 'x' }, headers)).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('names redirects, unexpected success codes, and the provider’s own words', () => {
    expect(outcome(302)).toMatchObject({ result: 'rejected', error: 'Slack answered 302: redirects are not followed' });
    expect(outcome(200, { detail: 'hello' })).toMatchObject({
      result: 'rejected',
      error: 'Slack answered 200, which does not mean success here: hello',
    });
    expect(outcome(400, { detail: 'no_text\n' })).toMatchObject({ error: 'Slack answered 400: no_text' });
    expect(outcome(500, { detail: '<html><body>oops' })).toMatchObject({ error: 'Slack answered 500' });
    expect(outcome(500, { detail: { not: 'text' } })).toMatchObject({ error: 'Slack answered 500' });
  });

  it('passes on the warning of a parsed response', () => {
    expect(outcome(200, { delivered: true, warning: 'look here' })).toEqual({
      result: 'delivered',
      status: 200,
      warning: 'look here',
    });
  });
});

describe('the quote from a response', () => {
  it.each(['127.0.0.1', '10.1.2.3', '::1', 'fd00::1', '100.64.0.1', '64:ff9b::a00:1', '192.0.2.1'])(
    'is empty if %s responded: users who can write alerts must not read the network of the operator',
    (address) => {
      expect(quoting(address, [])('internal secret')).toBe('');
    },
  );

  it.each(['1.1.1.1', '2606:4700::1111', '64:ff9b::101:101'])('is one short line if %s responded', (address) => {
    expect(quoting(address, [])('no_text\n')).toBe('no_text');
    expect(quoting(address, [])('x'.repeat(1000))).toHaveLength(160);
  });

  it('is empty if the address is not known', () => {
    expect(quoting(null, [])('words')).toBe('');
  });

  it('contains no secret that is longer than the quote', () => {
    const secret = Array.from({ length: 1000 }, (_, i) => `s${i}`).join('');
    expect(quoting('1.1.1.1', [secret])(`you sent ${secret}, really`)).toBe('you sent [hidden], really');
  });

  it('contains no start of a secret that was cut in a long response', () => {
    const secret = Array.from({ length: 1000 }, (_, i) => `s${i}`).join('');
    expect(quoting('1.1.1.1', [secret])(secret.repeat(5))).toBe('');
  });
});

describe('a public error text', () => {
  it.each([
    { text: 'token abcdef123 is wrong', hidden: ['abcdef123'], shown: 'token [hidden] is wrong' },
    { text: 'got p%40ss%2Fword', hidden: ['p@ss/word'], shown: 'got [hidden]' },
    { text: `got ${Buffer.from('p@ss/word').toString('base64')}`, hidden: ['p@ss/word'], shown: 'got [hidden]' },
    {
      text: 'no hook T0000001 here',
      hidden: ['https://hooks.example.com/services/T0000001'],
      shown: 'no hook [hidden] here',
    },
    { text: 'see https://evil.example/x?y for more', hidden: [], shown: 'see [url] for more' },
    { text: 'a\r\nb\u0000c', hidden: [], shown: 'a b c' },
    { text: 'abc', hidden: ['', 'a', 'bc'], shown: 'abc' },
    { text: 'is k3y! wrong', hidden: ['k3y!'], shown: 'is [hidden] wrong' },
    { text: '{"sent":"a\\"b\\\\cd"}', hidden: ['a"b\\cd'], shown: '{"sent":"[hidden]"}' },
    { text: 'form pass+w0rd%21', hidden: ['pass w0rd!'], shown: 'form [hidden]' },
    { text: 'two  blanks', hidden: ['wo  bl'], shown: 't[hidden]anks' },
  ])('of "$text" is "$shown"', ({ text, hidden, shown }) => {
    expect(publicError(text, hidden)).toBe(shown);
  });

  it('hides the longest secret first', () => {
    expect(publicError('x secret-longer y', ['secret', 'secret-longer'])).toBe('x [hidden] y');
  });

  it('limits a public error text to 300 characters', () => {
    expect(publicError('x'.repeat(1000), [])).toHaveLength(300);
  });
});
