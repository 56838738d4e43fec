import { dataOf, dataText } from './data-text';

describe('untrusted text', () => {
  it.each([
    ['plain words, emoji 👩‍🚒 and ümlauts', 'plain words, emoji 👩‍🚒 and ümlauts'],
    ['lines\nand\ttabs, which JSON escapes', 'lines\nand\ttabs, which JSON escapes'],
    ['\u001b[2Jcleared', '\\u{1b}[2Jcleared'],
    ['turned \u202egnp.exe', 'turned \\u{202e}gnp.exe'],
    ['hidden \u{e0049}\u{e0067}', 'hidden \\u{e0049}\\u{e0067}'],
    ['nothing\u200b to see\ufeff', 'nothing\\u{200b} to see\\u{feff}'],
    ['half \ud83d of one', 'half \\u{d83d} of one'],
    ['a line\u2028end', 'a line\\u{2028}end'],
  ])('%j is written as %j', (text, expected) => {
    expect(dataText(text)).toBe(expected);
  });

  it('is cut to 1,000 characters without splitting a character', () => {
    expect(dataText('x'.repeat(5000))).toBe(`${'x'.repeat(999)}…`);
    expect(dataText(`${'x'.repeat(998)}👩x👩`)).toBe(`${'x'.repeat(998)}…`);
    expect(dataText('x'.repeat(1000))).toBe('x'.repeat(1000));
  });

  it('is escaped anywhere in a value', () => {
    const value = { a: ['\u0000', { 'b\u0007': '\u202d', n: 1, none: null, is: true }] };
    expect(dataOf(value)).toEqual({ a: ['\\u{0}', { 'b\\u{7}': '\\u{202d}', n: 1, none: null, is: true }] });
  });
});
