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
  it('keeps an SMS that fits', () => {
    expect(smsText('Checkout API is down: connection refused')).toBe('Checkout API is down: connection refused');
  });

  it('replaces typographic characters that would double the price of an SMS', () => {
    expect(smsText('‘a’ “b” – c…')).toBe('\'a\' "b" - c...');
  });

  it.each(['a', '€', 'я', '🔥'])('cuts an SMS of %s to the allowed segments', (character) => {
    const text = smsText(character.repeat(2000));
    expect(segmentsOf(text)).toBe(MAX_SEGMENTS);
    expect(text.endsWith(`${character}...`)).toBe(true);
  });
});
