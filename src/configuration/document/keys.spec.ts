import { keyFrom } from './keys';

describe('keyFrom', () => {
  it.each([
    ['Front page', 'front-page'],
    ['  Über/Straße: 1 ', 'uber-stra-e-1'],
    ['api.v2_internal', 'api.v2_internal'],
    ['--..x', 'x'],
    ['日本', 'unnamed'],
    ['', 'unnamed'],
  ])('makes a key of %j', (name, key) => {
    expect(keyFrom(name, new Set())).toBe(key);
  });

  it('makes each key once, however long the name is', () => {
    const taken = new Set(['a']);
    const long = 'x'.repeat(100);
    expect(['A', 'a', long, long].map((name) => keyFrom(name, taken))).toEqual([
      'a-2',
      'a-3',
      'x'.repeat(64),
      `${'x'.repeat(62)}-2`,
    ]);
  });
});
