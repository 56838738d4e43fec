import { anyCase } from './containing';

describe('a case-insensitive search text', () => {
  it.each([
    ['Shop 1%', 'shop 1%', '', ''],
    ['éCOLE', 'école', 'É', 'é'],
    ['ÄäÖ', 'ääö', 'ÄÖ', 'äö'],
    ['ΟΔΟΣ', 'οδοσ', 'ΟΔΣ', 'οδσ'],
    ['Straße', 'straße', '', ''],
    ['İ', 'İ', '', ''],
    ['ſ', 'ſ', '', ''],
    ['東京 😀', '東京 😀', '', ''],
  ])('%s', (text, small, capitals, smallCapitals) => {
    expect(anyCase(text)).toEqual({ small, capitals, smallCapitals });
  });
});
