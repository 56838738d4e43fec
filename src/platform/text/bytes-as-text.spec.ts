import { textFromBytes, textFromLatin1, withoutMark } from './bytes-as-text';

it.each([
  ['ASCII', 'plain', 'plain'],
  ['UTF-8', 'Gr\xc3\xbc\xc3\x9fe', 'Grüße'],
  ['Latin-1', 'Gr\xfc\xdfe', 'Grüße'],
  ['half a character of UTF-8', 'Gr\xc3', 'GrÃ'],
])('reads %s with an unknown charset', (_, bytes, text) => {
  expect(textFromBytes(Buffer.from(bytes, 'latin1'))).toBe(text);
  expect(textFromLatin1(bytes)).toBe(text);
});

it('removes one byte order mark, and only at the start', () => {
  expect(withoutMark('\ufeff\ufeffa\ufeff')).toBe('\ufeffa\ufeff');
  expect(withoutMark('a')).toBe('a');
});
