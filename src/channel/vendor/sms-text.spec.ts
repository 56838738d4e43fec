import { MAX_SEGMENTS, segmentsOf, smsBody, smsText } from './sms-text';

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

describe('the link of a message', () => {
  const page = 'https://uptime.example.com/#/endpoints/ep_01jd4endpoint0000000000000';
  const acknowledge = `https://uptime.example.com/ack/${'Ab_1-9xY'.repeat(7)}`;

  it('stands below the sentence and the target', () => {
    expect(smsBody('Checkout is down', ['shop.example.com'], { page, acknowledge })).toBe(
      `Checkout is down\nshop.example.com\n${acknowledge}`,
    );
  });

  it('takes the place of a long target, whole', () => {
    expect(smsBody('Checkout is down', ['t'.repeat(2000)], { page, acknowledge })).toBe(
      `Checkout is down\n${acknowledge}`,
    );
  });

  it.each(['a', 'я', '🔥'])('gives way to a long sentence of %s', (character) => {
    const sentence = character.repeat(2000);
    expect(smsBody(sentence, [], { page, acknowledge })).toBe(smsText(sentence));
  });

  it('leads to the page only where that costs no further segment', () => {
    const links = { page, acknowledge: null };
    expect(smsBody('Checkout is back up', [], links)).toBe(`Checkout is back up\n${page}`);
    expect(smsBody('c'.repeat(100), [], links)).toBe('c'.repeat(100));
    expect(smsBody('c'.repeat(200), [], links)).toBe(`${'c'.repeat(200)}\n${page}`);
  });

  it('is missing without PUBLIC_URL', () => {
    expect(smsBody('Checkout is back up', ['a'], undefined)).toBe('Checkout is back up\na');
  });
});
