import { isSensitiveHeader } from './request-headers';

describe('whether the value of a header may be a credential', () => {
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
  ])('it may be one in %j', (name) => {
    expect(isSensitiveHeader(name)).toBe(true);
  });

  it.each(['Accept', 'ACCEPT-LANGUAGE', 'Cache-Control', 'Pragma', 'User-Agent', 'Content-Type', 'Server', 'X-Cache'])(
    "it isn't one in %j",
    (name) => {
      expect(isSensitiveHeader(name)).toBe(false);
    },
  );
});
