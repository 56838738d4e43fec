import { credentialParameter, mayHoldCredential } from './url-credentials';

describe('a URL that may contain a credential', () => {
  it.each([
    ['https://a.example/?page=1&sort=name', false],
    ['https://a.example/?since=2026-11-24T10:00:00Z&q=two+words', false],
    ['https://a.example/docs#chapter-2', false],
    ['https://a.example/?longwordsthatpeoplewrite=yes', false],
    ['tcp://a.example:1', false],
    ['dns:a.example?type=A', false],
    ['http:', false],
    ['https://a.example/?api_key=x', true],
    ['https://a.example/?page=1&access_token=x', true],
    ['HTTPS://a.example/?Signature=x', true],
    ['https://a.example/#id_token=x', true],
    ['https://a.example/?t=9f86d081884c7d65', true],
    ['https://a.example/?9f86d081884c7d65', true],
    ['https://user@a.example/', true],
    ['https://user:word@a.example/', true],
  ])('%s: %s', (url, may) => {
    expect(mayHoldCredential(url)).toBe(may);
  });

  it('is refused only by the name of a parameter, and not by the look of a value', () => {
    const urls = ['https://a.example/?page=1&api_key=x', 'https://a.example/?t=9f86d081884c7d65', 'tcp://a?key=1'];
    expect(urls.map(credentialParameter)).toEqual(['api_key', null, null]);
  });
});
