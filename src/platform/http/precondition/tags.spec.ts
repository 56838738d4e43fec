import { isNamedBy, matches, parseTags } from './precondition';

describe('an If-Match', () => {
  it.each([
    ['a tag', '"abc"', ['"abc"']],
    ['a list', '"a", "b" ,"c"', ['"a"', '"b"', '"c"']],
    ['a tag with a comma in it', '"a,b"', ['"a,b"']],
    ['an empty tag', '""', ['""']],
    ['empty members', ', "a",, ,"b",', ['"a"', '"b"']],
    ['a weak tag among others', 'W/"a", "b"', ['W/"a"', '"b"']],
    ['a weak tag alone', 'W/"a"', ['W/"a"']],
  ])('can be %s', (_, sent, tags) => {
    expect(parseTags(sent)).toEqual({ any: false, tags });
  });

  it('can be an asterisk, which matches any existing resource', () => {
    expect(parseTags(' * ')).toEqual({ any: true, tags: [] });
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
    expect(parseTags(sent)).toBeNull();
  });
});

describe('an If-Match holds for a resource with the tag "a"', () => {
  it.each([
    ['"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['"b"', false],
    ['W/"a"', false],
  ])('with %s: %s', (sent, holds) => {
    expect(matches(parseTags(sent) ?? { any: false, tags: [] }, '"a"')).toBe(holds);
  });
});

describe('an If-None-Match matches a resource with the tag "a"', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"c" ,"a"', true],
    ['*', true],
    ['"b"', false],
    ['"A"', false],
    ['a', false],
    ['"b" "a"', false],
    [undefined, false],
  ])('with %s: %s', (sent, isNamed) => {
    expect(isNamedBy(sent, '"a"')).toBe(isNamed);
  });

  it('also if the tag itself is weak', () => {
    expect(isNamedBy('"a"', 'W/"a"')).toBe(true);
  });
});
