import { keyFrom } from './keys';

describe('keyFrom', () => {
  it.each([
    ['Front page', 'front-page'],
    ['  Über/Straße: 1 ', 'uber-stra-e-1'],
    ['api.v2_internal', 'api.v2_internal'],
    ['--..x', 'x'],
    ['日本', 'unnamed'],
    ['', 'unnamed'],
  ])('creates a key from %j', (name, key) => {
    expect(keyFrom(name, new Set())).toBe(key);
  });

  it('creates each key only once, for names of any length', () => {
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
