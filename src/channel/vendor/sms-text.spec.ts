import { MAX_SEGMENTS, segmentsOf, smsText } from './sms-text';

describe('the segments of a text message', () => {
  it.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['я'.repeat(70), 1],
    ['я'.repeat(71), 2],
    ['🔥'.repeat(35), 1],
    [`${'a'.repeat(69)}🔥`, 2],
  ])('of %j are %d', (text, segments) => {
    expect(segmentsOf(text)).toBe(segments);
  });
});

describe('the text of a message', () => {
  it('is kept when it fits', () => {
    expect(smsText('Checkout API is down: connection refused')).toBe('Checkout API is down: connection refused');
  });

  it('does not pay for typographic characters', () => {
    expect(smsText('‘a’ “b” – c…')).toBe('\'a\' "b" - c...');
  });

  it.each(['a', '€', 'я', '🔥'])('is cut to the allowed segments when it is made of %s', (character) => {
    const text = smsText(character.repeat(2000));
    expect(segmentsOf(text)).toBe(MAX_SEGMENTS);
    expect(text.endsWith(`${character}...`)).toBe(true);
  });
});
