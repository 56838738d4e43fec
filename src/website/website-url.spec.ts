import { parseWebsiteUrl } from './website-url';

describe('the URL of a website', () => {
  it.each([
    ['https://Example.com', 'https://example.com/'],
    ['HTTP://example.com:8080/a?b=c#fragment', 'http://example.com:8080/a?b=c'],
    ['http://example.com:80/', 'http://example.com/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://[2001:DB8::1]/x', 'http://[2001:db8::1]/x'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://0x7f.1:8080/', 'http://127.0.0.1:8080/'],
    ['http://example.com./', 'http://example.com/'],
  ])('%s is kept as %s', (text, url) => {
    expect(parseWebsiteUrl(text)).toEqual({ url });
  });

  it.each([
    ['', 'invalid_format'],
    ['example.com', 'invalid_format'],
    ['//example.com', 'invalid_format'],
    ['http:example.com', 'invalid_format'],
    ['http:///x', 'invalid_format'],
    ['http://.', 'invalid_format'],
    ['http://a..b/', 'invalid_format'],
    ['http://-a.com/', 'invalid_format'],
    [`http://${'a'.repeat(64)}.com/`, 'invalid_format'],
    ['http://example.com:0/', 'invalid_format'],
    ['http://example.com:99999/', 'invalid_format'],
    ['ftp://example.com/', 'unsupported_scheme'],
    ['javascript:alert(1)', 'unsupported_scheme'],
    ['data:text/html,x', 'unsupported_scheme'],
    ['file:///etc/passwd', 'unsupported_scheme'],
    ['http://user:pass@example.com/', 'credentials_in_url'],
    ['http://user@example.com/', 'credentials_in_url'],
    ['http://exa\tmple.com/', 'invalid_characters'],
    [' http://example.com/', 'invalid_characters'],
    ['http://exa\u00admple.com/', 'invalid_characters'],
    ['http://exa\u200bmple.com/', 'invalid_characters'],
    [`http://example.com/${'x'.repeat(2048)}`, 'too_long'],
    [`http://example.com/${'é'.repeat(1000)}`, 'too_long'],
  ])('%j is refused as %s', (text, code) => {
    expect(parseWebsiteUrl(text)).toEqual({ problem: { pointer: '/url', code, message: expect.any(String) } });
  });
});
