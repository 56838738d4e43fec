import { parseIfMatch } from './precondition';

describe('an If-Match', () => {
  it.each([
    ['a tag', '"abc"', ['"abc"']],
    ['a list', '"a", "b" ,"c"', ['"a"', '"b"', '"c"']],
    ['a tag with a comma in it', '"a,b"', ['"a,b"']],
    ['an empty tag', '""', ['""']],
    ['empty members', ', "a",, ,"b",', ['"a"', '"b"']],
    ['a weak tag among others, which never matches', 'W/"a", "b"', ['"b"']],
    ['a weak tag alone', 'W/"a"', []],
  ])('may be %s', (_, sent, tags) => {
    expect(parseIfMatch(sent)).toEqual({ any: false, tags });
  });

  it('may be a star, for whatever there is', () => {
    expect(parseIfMatch(' * ')).toEqual({ any: true, tags: [] });
  });

  it.each([
    ['empty', ''],
    ['a tag without quotes', 'abc'],
    ['a tag that does not end', '"abc'],
    ['two tags without a comma', '"a" "b"'],
    ['a star among tags', '*, "a"'],
    ['commas alone', ', ,'],
    ['a small w', 'w/"a"'],
    ['a space in a tag', '"a b"'],
    ['long and wrong at the end', `${'"a" ,'.repeat(3000)}${' '.repeat(1000)}x`],
  ])('is refused when it is %s', (_, sent) => {
    expect(parseIfMatch(sent)).toBeNull();
  });
});
