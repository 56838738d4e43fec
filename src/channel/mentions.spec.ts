import { withoutMentions } from './mentions';

describe('a text for a chat', () => {
  it.each([
    ['@all is down', '@\u2060all is down'],
    ['(@here), @channel and @everyone', '(@\u2060here), @\u2060channel and @\u2060everyone'],
    ['from @ada_l: <@U123>', 'from @\u2060ada_l: <@\u2060U123>'],
    ['@überall', '@\u2060überall'],
    ['ops@example.com', 'ops@example.com'],
    ['https://social.example/@all is down', 'https://social.example/@all is down'],
    ['5 @ 3, @', '5 @ 3, @'],
  ])('shows %s without a mention', (text, shown) => {
    expect(withoutMentions(text)).toBe(shown);
  });
});
