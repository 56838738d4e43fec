import { readUrl } from './read-url';

describe('reading a URL', () => {
  it('takes a name beyond ASCII every time, however often it is asked', () => {
    const refused = Array.from({ length: 50_000 }, () => readUrl('http://münchen.de/ä')).filter((url) => url === null);
    expect(refused).toHaveLength(0);
  });

  it.each(['', 'nonsense', '/path', 'http://', 'http://a b/'])('answers null to %j', (text) => {
    expect(readUrl(text)).toBeNull();
  });

  it('resolves against a base', () => {
    expect(readUrl('../x', 'http://a.example/b/c')?.href).toBe('http://a.example/x');
  });
});
