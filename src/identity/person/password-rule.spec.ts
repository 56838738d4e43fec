import { normalizePassword, weaknessOf } from './password-rule';

const ADA = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace', host: 'status.example.com' };

describe('a password', () => {
  it.each([
    ['aaaaaaaaaaaaaaaa', 'again and again'],
    ['abcabcabcabcabca', 'again and again'],
    ['passwordpassword', 'again and again'],
    ['Ab1!Ab1!Ab1!Ab1!', 'again and again'],
    ['123456789012345', 'one run'],
    ['098765432109876', 'one run'],
    ['abcdefghijklmnop', 'one run'],
    ['zyxwvutsrqponmlk', 'one run'],
    ['qwertyuiopasdfgh', 'one run'],
    ['QWERTZUIOPASDFGH', 'one run'],
    ['1qaz2wsx3edc4rfv', 'one run'],
    ['ｑｗｅｒｔｙｕｉｏｐａｓｄｆｇｈ', 'one run'],
    ['ada.lovelace@example.com', 'nothing but your name'],
    ['Lovelace, Ada: uptime!', 'nothing but your name'],
    ['status.example.com', 'nothing but your name'],
    ['admin-password-monitor', 'nothing but your name'],
    ['!!!???***---+++', 'nothing but your name'],
  ])('of %s is too weak', (password, why) => {
    expect(weaknessOf(password, ADA)).toContain(why);
  });

  it.each([
    ['of words', 'correct horse battery'],
    ['of words and the name', 'ada lovelace eats figs'],
    ['of a run with something behind it', 'qwertyuiopasdfgh and tea'],
    ['of nine characters, repeated', 'mussels! mussels! '],
    ['of another script', 'многоголосый хорал'],
    ['with spaces around', '   three wise monkeys '],
  ])('%s will do', (_, password) => {
    expect(weaknessOf(password, ADA)).toBeNull();
  });

  it('is the same, however it was composed, and keeps its spaces and its case', () => {
    expect(normalizePassword('e\u0301cole ①')).toBe(normalizePassword('école 1'));
    expect(normalizePassword(' Two  Words ')).toBe(' Two  Words ');
  });

  it('of 256 characters is judged at once', () => {
    const words = { ...ADA, name: Array.from({ length: 60 }, (_, i) => 'a'.repeat(i + 1)).join(' ') };
    expect(weaknessOf(`${'a'.repeat(255)}b`, words)).toBeNull();
  });
});
