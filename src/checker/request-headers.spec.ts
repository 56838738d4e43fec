import { isSensitiveHeader } from './request-headers';

describe('the search for credentials in header values', () => {
  it.each([
    'Authorization',
    'Cookie',
    'Set-Cookie',
    'X-API-Key',
    'DD-API-KEY',
    'X-Goog-Api-Key',
    'Ocp-Apim-Subscription-Key',
    'X-Auth-Key',
    'X-Functions-Key',
    'X-RapidAPI-Key',
    'X-Authorization',
    'X-Anything',
    'Referer',
    'Location',
    'Content-Key',
    'Accept-Token',
    'Server-Key',
    '',
  ])('reports a possible credential in %j', (name) => {
    expect(isSensitiveHeader(name)).toBe(true);
  });

  it.each(['Accept', 'ACCEPT-LANGUAGE', 'Cache-Control', 'Pragma', 'User-Agent', 'Content-Type', 'Server', 'X-Cache'])(
    'reports no credential in %j',
    (name) => {
      expect(isSensitiveHeader(name)).toBe(false);
    },
  );
});
