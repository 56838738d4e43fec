import { normalizePassword, weaknessOf } from './password-rule';

const ADA = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace', host: 'status.example.com' };

describe('a password', () => {
  it.each([
    ['aaaaaaaaaaaaaaaa', 'only repeats'],
    ['abcabcabcabcabca', 'only repeats'],
    ['passwordpassword', 'only repeats'],
    ['Ab1!Ab1!Ab1!Ab1!', 'only repeats'],
    ['123456789012345', 'a single run'],
    ['098765432109876', 'a single run'],
    ['abcdefghijklmnop', 'a single run'],
    ['zyxwvutsrqponmlk', 'a single run'],
    ['qwertyuiopasdfgh', 'a single run'],
    ['QWERTZUIOPASDFGH', 'a single run'],
    ['1qaz2wsx3edc4rfv', 'a single run'],
    ['ｑｗｅｒｔｙｕｉｏｐａｓｄｆｇｈ', 'a single run'],
    ['ada.lovelace@example.com', 'only of your name'],
    ['Lovelace, Ada: uptime!', 'only of your name'],
    ['status.example.com', 'only of your name'],
    ['admin-password-monitor', 'only of your name'],
    ['!!!???***---+++', 'only 5 different characters'],
    ['aaaaaaaaaaaaaab', 'only 2 different characters'],
    ['bobobobobobobob1', 'only repeats'],
    ['abababababbaabab', 'only 2 different characters'],
    ['password1234567', 'Apart from the digits at the end, it is “password”'],
    ['P@ssw0rd P@ssw0rd!', 'little more than common words'],
    ['qwertyuiop12345', 'a single run'],
    ['welcome12345678', 'Apart from the digits at the end, it is “welcome”'],
    ['adminadmin12345', 'only repeats'],
    ['changemechangeme1', 'only repeats'],
    ['michelle!2024123', 'Apart from the digits at the end, it is “michelle”'],
    ['administrator12345', 'little more than common words'],
    ['zebra1234567890', 'Apart from the digits at the end, it is “zebra”'],
    ['sunshine-football-7', 'little more than common words'],
    ['12345678987654321', 'little more than common words'],
    ['1qazxsw23edcvfr4', 'little more than common words'],
    ['to be or not to be, that is the question', 'a well-known phrase'],
    ['MayTheForceBeWithYou 2024', 'a well-known phrase'],
  ])('of %s is too weak', (password, why) => {
    expect(weaknessOf(password, ADA)).toContain(why);
  });

  it.each([
    ['of words', 'correct horse battery'],
    ['of words and the name', 'ada lovelace eats figs'],
    ['of a run with something after it', 'qwertyuiopasdfgh and tea'],
    ['of nine characters, repeated', 'mussels! mussels! '],
    ['of another script', 'многоголосый хорал'],
    ['with spaces around', '   three wise monkeys '],
    ['of signs alone', '!"§$%&/()=?`*+~#_-.:,;<>|'],
    ['of sixteen emoji', '😀😁😂🤣😃😄😅😆😉😊😋😎😍😘🥰😗'],
    ['of signs with a word among them', '#!$%&*()_+=-[]admin'],
    ['from a generator', 'xK9-vQ2mTz7pLw4'],
    ['of digits from a generator', '804713926508142'],
    ['of four words that many use', 'happy birthday monkey king'],
    ['of words that everyone uses, and one unrelated word', 'summer coffee ukulele'],
  ])('%s is accepted', (_, password) => {
    expect(weaknessOf(password, ADA)).toBeNull();
  });

  it('is the same in any Unicode composition, and keeps its spaces and its case', () => {
    expect(normalizePassword('e\u0301cole ①')).toBe(normalizePassword('école 1'));
    expect(normalizePassword(' Two  Words ')).toBe(' Two  Words ');
  });

  it('of 256 characters is judged immediately', () => {
    const words = { ...ADA, name: Array.from({ length: 60 }, (_, i) => 'a'.repeat(i + 1)).join(' ') };
    const began = performance.now();
    for (const text of [`${'a'.repeat(255)}b`, 'abcabd'.repeat(42), 'qwertyuiop'.repeat(25)]) weaknessOf(text, words);
    // One evaluation takes a few milliseconds.
    expect(performance.now() - began).toBeLessThan(500);
  });
});
