import fc from 'fast-check';
import { isTag, tagSet } from './tags';

describe('tags', () => {
  it.each(['a', '7', 'production', 'team:web', 'eu-west-1', 'a.b_c/d', 'x'.repeat(50)])('accept %s', (text) => {
    expect(isTag(text)).toBe(true);
  });

  it.each(['', ' ', 'a b', '-a', ':a', 'Ä', 'a,b', 'x'.repeat(51), 'a\n', 'A', 7, null, ['a']])(
    'refuse %j',
    (value) => {
      expect(isTag(value)).toBe(false);
    },
  );

  it('are stored in lower case and in order, without duplicates', () => {
    expect(tagSet(['web', 'DB', 'db', 'Web', 'a:1'])).toEqual(['a:1', 'db', 'web']);
  });

  it('keep their stored form', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,49}$/)), (tags) => {
        const stored = tagSet(tags);
        expect(tagSet(stored)).toEqual(stored);
        expect(stored.every(isTag)).toBe(true);
      }),
    );
  });
});
