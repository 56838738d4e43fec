import { cookieDate, CookieJar } from './cookie-jar';
import { type HttpTarget, httpTargetOf } from './http-target';

const NOW = Date.parse('2026-11-28T12:00:00Z');

const target = (url: string): HttpTarget => {
  const found = httpTargetOf(new URL(url));
  if (!found) throw new Error(`no target: ${url}`);
  return found;
};

/** Returns the cookies that are sent to `to` after `from` has set the given ones. */
const sent = (set: string[], from: string, to: string, own: string | null = null, nowMs = NOW) => {
  const jar = new CookieJar();
  jar.take(set, target(from), NOW);
  return jar.headerFor(target(to), own, nowMs);
};

const SITE = 'http://www.example.com/';

describe('the cookies of a check', () => {
  it.each<[what: string, set: string[], from: string, to: string, header: string | null]>([
    ['go to where they came from', ['seen=1; Path=/; HttpOnly'], SITE, SITE, 'seen=1'],
    ['go to another port of the host', ['a=1'], SITE, 'http://www.example.com:8080/', 'a=1'],
    ['do not go to another host', ['a=1; Path=/'], SITE, 'http://example.org/', null],
    ['do not go to a host below', ['a=1; Path=/'], 'http://example.com/', SITE, null],
    ['do not go to a host above', ['a=1; Path=/'], SITE, 'http://example.com/', null],
    ['of a domain go to its hosts', ['a=1; Domain=example.com'], SITE, 'http://app.example.com/', 'a=1'],
    [
      'of a domain with a leading dot also go to its hosts',
      ['a=1; Domain=.Example.COM'],
      SITE,
      'http://app.example.com/',
      'a=1',
    ],
    [
      'of a domain do not go to a name that only ends alike',
      ['a=1; Domain=example.com'],
      SITE,
      'http://notexample.com/',
      null,
    ],
    ['of another domain are not kept', ['a=1; Domain=example.org'], SITE, 'http://example.org/', null],
    ['of a host below are not kept', ['a=1; Domain=www.example.com'], 'http://example.com/', SITE, null],
    ['of a top-level domain are not kept', ['a=1; Domain=com'], SITE, SITE, null],
    ['of an address stay with it', ['a=1; Domain=127.0.0.1'], 'http://127.0.0.1/', 'http://127.0.0.1/', 'a=1'],
    ['of a part of an address are not kept', ['a=1; Domain=0.0.1'], 'http://127.0.0.1/', 'http://127.0.0.1/', null],
    ['of a path go below it', ['a=1; Path=/app'], SITE, 'http://www.example.com/app/x?y=1', 'a=1'],
    ['of a path go to it', ['a=1; Path=/app'], SITE, 'http://www.example.com/app?y=/', 'a=1'],
    ['of a path do not go to its siblings', ['a=1; Path=/app'], SITE, 'http://www.example.com/application', null],
    ['without a path go to where the request was', ['a=1'], `${SITE}app/sign-in`, `${SITE}app/home`, 'a=1'],
    ['without a path do not go above', ['a=1'], `${SITE}app/sign-in`, SITE, null],
    ['with an invalid path go to where the request was', ['a=1; Path=app'], SITE, `${SITE}other`, 'a=1'],
    ['that are secure go over TLS', ['a=1; Secure'], 'https://www.example.com/', 'https://www.example.com/', 'a=1'],
    ['that are secure do not go without TLS', ['a=1; Secure'], 'https://www.example.com/', SITE, null],
    ['that have expired are not sent', ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], SITE, SITE, null],
    ['that expire at once are not sent', ['a=1; Max-Age=0'], SITE, SITE, null],
    ['that expired in the past are not sent', ['a=1; Max-Age=-5'], SITE, SITE, null],
    [
      'last as long as Max-Age says, regardless of Expires',
      ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      SITE,
      SITE,
      'a=1',
    ],
    ['with an invalid date last', ['a=1; Expires=soon'], SITE, SITE, 'a=1'],
    ['replace each other', ['a=1', 'a=2'], SITE, SITE, 'a=2'],
    ['remove each other', ['a=1', 'a=; Max-Age=0'], SITE, SITE, null],
    ['with longer paths come first', ['a=1; Path=/', 'b=2; Path=/app'], SITE, `${SITE}app`, 'b=2; a=1'],
    ['keep quotes and equals signs', ['a="x=y"'], SITE, SITE, 'a="x=y"'],
    ['may be empty', ['a='], SITE, SITE, 'a='],
    ['without a name are not kept', ['=1', 'b', ' ; Path=/'], SITE, SITE, null],
    ['with a control character are not kept', ['a=\x01b', 'b=\x7f'], SITE, SITE, null],
    ['with bytes beyond ASCII are sent as they came', ['a=\xc3\xbc'], SITE, SITE, 'a=\xc3\xbc'],
    ['of more than 4 KiB are not kept', [`a=${'x'.repeat(5000)}`], SITE, SITE, null],
  ])('%s', (_, set, from, to, header) => {
    expect(sent(set, from, to)).toBe(header);
  });

  it('expire while the check runs', () => {
    expect(sent(['a=1; Max-Age=5'], SITE, SITE, null, NOW + 4000)).toBe('a=1');
    expect(sent(['a=1; Max-Age=5'], SITE, SITE, null, NOW + 6000)).toBeNull();
  });

  it.each([
    ['are sent as well', ['a=1'], 'own=2; other=3', 'own=2; other=3; a=1'],
    ['are replaced by cookies that the server sets', ['own=1'], 'own=2; other=3', 'other=3; own=1'],
    ['are removed when the server removes them', ['own=; Max-Age=0'], 'own=2', null],
    ['stay when the server sets one for another host', ['own=1; Domain=example.org'], 'own=2', 'own=2'],
  ])('that the endpoint sends itself %s', (_, set, own, header) => {
    expect(sent(set, SITE, SITE, own)).toBe(header);
  });

  it('are bounded in number and size', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `n${i}=${'x'.repeat(1000)}`);
    expect(sent(many, SITE, SITE)?.length).toBeLessThanOrEqual(16 * 1024);
  });
});

it.each([
  ['Wed, 09 Jun 2027 10:18:14 GMT', '2027-06-09T10:18:14Z'],
  ['Wednesday, 09-Jun-27 10:18:14 GMT', '2027-06-09T10:18:14Z'],
  ['Wed Jun  9 10:18:14 2027', '2027-06-09T10:18:14Z'],
  ['Wed, 9 Jun 2027 1:8:4', '2027-06-09T01:08:04Z'],
  ['Fri, 31 Dec 99 23:59:59 GMT', '1999-12-31T23:59:59Z'],
])('the cookie date %j is read', (text, expected) => {
  expect(cookieDate(text)).toBe(Date.parse(expected));
});

it.each([
  '',
  'soon',
  'Wed, 31 Feb 2027 10:18:14 GMT',
  'Wed, 09 Jun 2027',
  '09 Jun 2027 25:00:00',
  '09 Jun 1500 10:00:00',
])("%j isn't a cookie date", (text) => {
  expect(cookieDate(text)).toBeNull();
});
