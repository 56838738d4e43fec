import {
  hashApiKey,
  generateApiKey,
  generateProbeToken,
  isPlausibleApiKey,
  isPlausibleProbeToken,
} from './api-key-secret';

describe('API keys', () => {
  it.each([
    ['read', 'r'],
    ['responder', 'p'],
    ['write', 'w'],
    ['admin', 'a'],
  ] as const)('of the role %s have a form that secret scanners recognize', (role, letter) => {
    expect(generateApiKey(role)).toMatch(new RegExp(`^ums_${letter}_[0-9A-Za-z]{36}$`));
  });

  it('are never generated twice', () => {
    const keys = Array.from({ length: 1000 }, () => generateApiKey('read'));
    expect(new Set(keys).size).toBe(1000);
  });

  it('with one changed character are implausible', () => {
    const key = generateApiKey('write');
    expect(isPlausibleApiKey(key)).toBe(true);
    for (let i = 0; i < key.length; i++) {
      const other = key.charAt(i) === 'x' ? 'y' : 'x';
      expect([i, isPlausibleApiKey(key.slice(0, i) + other + key.slice(i + 1))]).toEqual([i, i < 4]);
    }
  });

  it('chosen by the operator may be any 24 to 200 printable characters', () => {
    expect(isPlausibleApiKey('correct-horse-battery-staple')).toBe(true);
    expect(isPlausibleApiKey('short')).toBe(false);
    expect(isPlausibleApiKey('with a space in the middle of it')).toBe(false);
  });

  it('are stored as two hashes that depend on the pepper', () => {
    const a = hashApiKey('correct-horse-battery-staple', Buffer.from('a'));
    const b = hashApiKey('correct-horse-battery-staple', Buffer.from('b'));
    expect(a.lookup).toMatch(/^[0-9a-f]{32}$/);
    expect(a.hash).toHaveLength(32);
    expect(a.lookup).not.toBe(b.lookup);
    expect(a.hash.equals(b.hash)).toBe(false);
    expect(a.hash.toString('hex').startsWith(a.lookup)).toBe(false);
  });
});

describe('tokens of probes', () => {
  it('have the form of keys without a role, and are never generated twice', () => {
    const tokens = Array.from({ length: 1000 }, () => generateProbeToken());
    expect(tokens.filter((token) => /^ump_[0-9A-Za-z]{36}$/.test(token) && isPlausibleProbeToken(token))).toEqual(
      tokens,
    );
    expect(new Set(tokens).size).toBe(1000);
  });

  it('with one changed character are implausible, and so are API keys', () => {
    const token = generateProbeToken();
    for (let i = 0; i < token.length; i++) {
      const other = token.charAt(i) === 'x' ? 'y' : 'x';
      expect([i, isPlausibleProbeToken(token.slice(0, i) + other + token.slice(i + 1))]).toEqual([i, false]);
    }
    expect(isPlausibleProbeToken(generateApiKey('admin'))).toBe(false);
  });
});
