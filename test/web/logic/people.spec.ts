import { browserOf, initialsOf, linkTo, waysIn } from '../../../web/src/logic/people';

describe('people, in words', () => {
  it('has the URL of a link from the service, or else from the page', () => {
    const page = 'http://192.168.1.5:3000/';
    const url = 'https://uptime.example.com/#/sign-in/abc';
    expect(linkTo({ url, token: 'abc' }, page)).toBe(url);
    expect(linkTo({ url: null, token: 'abc' }, page)).toBe('http://192.168.1.5:3000/#/sign-in/abc');
  });

  it.each([
    ['Ada Lovelace', 'AL'],
    ['ada', 'A'],
    ['Ana María de la Cruz', 'AC'],
    ['bo@example.com', 'BC'],
    ['😀 Ünal', '😀Ü'],
    [' ', ''],
  ])('shortens “%s” to “%s”', (name, expected) => {
    expect(initialsOf(name)).toBe(expected);
  });

  it.each([
    [true, false, true, 'password, single sign-on'],
    [true, false, false, 'password'],
    [true, true, false, 'password with code'],
    [false, false, true, 'single sign-on'],
    [false, false, false, 'a link only'],
  ])(
    'with a password %s, a second factor %s, and single sign-on %s signs in by %s',
    (has_password, second_factor, single_sign_on, expected) => {
      expect(waysIn({ has_password, second_factor, single_sign_on })).toBe(expected);
    },
  );

  const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/130.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
      'Chrome on iOS',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['Chrome/1', 'Chrome'],
    [null, 'Unknown browser'],
  ])('%s: %s', (userAgent, expected) => {
    expect(browserOf(userAgent)).toBe(expected);
  });
});
