import { OutputTail } from './output-tail';

const tailOf = (most: number, ...texts: string[]): string => {
  const tail = new OutputTail(most);
  for (const text of texts) tail.add(Buffer.from(text));
  return tail.read().toString();
};

describe('OutputTail', () => {
  it.each([
    ['nothing', 5, [], ''],
    ['all of a short output', 5, ['ab', 'cd'], 'abcd'],
    ['the end of one large chunk', 5, ['abcdefgh'], 'defgh'],
    ['the end of many chunks', 5, ['abc', 'def', 'gh', 'i'], 'efghi'],
    ['no partial character', 5, ['a€€'], '€'],
    ['a character that just fits', 6, ['a€€'], '€€'],
  ])('keeps %s', (_, most, texts, kept) => {
    expect(tailOf(most, ...texts)).toBe(kept);
  });

  it('holds only the last chunks that it needs', () => {
    const tail = new OutputTail(10);
    for (let each = 0; each < 1000; each++) tail.add(Buffer.from('12345'));
    expect((tail as unknown as { chunks: Buffer[] }).chunks).toHaveLength(2);
  });
});
