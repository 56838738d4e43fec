import { readUrl } from './read-url';

describe('readUrl', () => {
  it('accepts a host name beyond ASCII every time, however often it is called', () => {
    const refused = Array.from({ length: 50_000 }, () => readUrl('http://münchen.de/ä')).filter((url) => url === null);
    expect(refused).toHaveLength(0);
  });

  it.each(['', 'nonsense', '/path', 'http://', 'http://a b/'])('returns null for %j', (text) => {
    expect(readUrl(text)).toBeNull();
  });

  it('resolves a relative URL against its base', () => {
    expect(readUrl('../x', 'http://a.example/b/c')?.href).toBe('http://a.example/x');
  });
});
