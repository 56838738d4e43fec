import fc from 'fast-check';
import { countCodePoints, cut, oneLine, someLines } from './text-limits';

describe('a cut text', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['one too long', 11, 'one too lo…'],
    ['🔥🔥🔥🔥', 8, '🔥🔥🔥🔥'],
    ['🔥🔥🔥🔥', 7, '🔥🔥🔥…'],
    ['🔥🔥🔥🔥', 6, '🔥🔥…'],
    ['abc', 0, '…'],
  ])('from %j to %d characters is %j', (text, max, result) => {
    expect(cut(text, max)).toBe(result);
  });

  it('cuts a text within the limit in code points and UTF-16 units, and never cuts a character in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (text, max) => {
        const result = cut(text, max);
        expect(result.length).toBeLessThanOrEqual(max);
        expect(countCodePoints(result)).toBeLessThanOrEqual(max);
        expect(result).not.toMatch(/\p{Cs}/u);
        expect(text.startsWith(result.replace(/…$/, '')) || result === text).toBe(true);
      }),
    );
  });
});

describe('one line of text', () => {
  it.each([
    ['plain', 'plain'],
    ['  a \t b  ', 'a b'],
    ['a\r\nBcc: x', 'a Bcc: x'],
    ['a\u0000\u001b[31mb', 'a [31mb'],
    ['abc\u202egnp.exe', 'abc gnp.exe'],
    ['a\u2028b\u2029c', 'a b c'],
    ['broken \ud800 pair', 'broken pair'],
    ['kept 🔥 whole', 'kept 🔥 whole'],
  ])('from %j is %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('cleans each line of a text of several lines', () => {
    expect(someLines('a\r\n\r\n b \nc\u0000d\ne', 3)).toBe('a\nb\nc d');
  });
});
