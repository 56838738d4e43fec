import { fakeTelegram } from '../../../packages/testing/providers/telegram';
import { describeStrictness, withFields, withPath } from './strictness';

const entities = (description: string) => ({
  ok: false,
  error_code: 400,
  description: `Bad Request: can't parse entities: ${description}`,
});

describeStrictness('telegram', fakeTelegram, 200, [
  {
    what: 'a wrong token',
    change: withPath('/bot42:another/sendMessage'),
    status: 401,
    body: { ok: false, error_code: 401, description: 'Unauthorized' },
    sentence: 'Telegram: the request must be made with the bot\'s token, not "/bot42:another/sendMessage"',
  },
  {
    what: 'an unknown method',
    change: withPath('/bot123456789:AAcanary-telegram-token/sendText'),
    status: 404,
    body: { ok: false, error_code: 404, description: 'Not Found' },
    sentence: 'Telegram: the request must be a call of sendMessage, not',
  },
  {
    what: 'a message without a chat',
    change: withFields({ chat_id: undefined }),
    status: 400,
    body: { description: 'Bad Request: chat_id is empty' },
    sentence: 'Telegram: "chat_id" is required',
  },
  {
    what: 'a chat that the bot is not in',
    change: withFields({ chat_id: '-100' }),
    status: 400,
    body: { description: 'Bad Request: chat not found' },
    sentence: 'Telegram: "chat_id" must be a chat that the bot is in, not "-100"',
  },
  {
    what: 'an empty text',
    change: withFields({ text: '' }),
    status: 400,
    body: { description: 'Bad Request: message text is empty' },
    sentence: 'Telegram: "text" is required',
  },
  {
    what: 'a text of markup only',
    change: withFields({ text: '<b> </b>' }),
    status: 400,
    body: { description: 'Bad Request: message text is empty' },
    sentence: 'Telegram: "text" must be more than markup and blanks, not "<b> </b>"',
  },
  {
    what: 'a text of more than 4096 characters without its markup',
    change: withFields({ text: `<b>${'&amp;'.repeat(4097)}</b>` }),
    status: 400,
    body: { description: 'Bad Request: message is too long' },
    sentence: 'Telegram: "text" must be at most 4096 characters without its markup, not 4097',
  },
  {
    what: 'an unknown parse mode',
    change: withFields({ parse_mode: 'html5' }),
    status: 400,
    body: { description: 'Bad Request: unsupported parse_mode' },
    sentence: 'Telegram: "parse_mode" must be one of HTML, MarkdownV2, Markdown, not "html5"',
  },
  {
    what: 'an unknown tag',
    change: withFields({ text: '€<script>alert(1)</script>' }),
    status: 400,
    body: entities('Unsupported start tag "script" at byte offset 3'),
    sentence: 'Telegram: "text" must be HTML as Telegram reads it (Unsupported start tag "script" at byte offset 3)',
  },
  {
    what: 'an attribute of a tag that has none',
    change: withFields({ text: '<b onclick="x">a</b>' }),
    status: 400,
    body: entities('Unsupported start tag "b onclick="x"" at byte offset 0'),
    sentence: 'Unsupported start tag',
  },
  {
    what: 'a tag that is not closed',
    change: withFields({ text: '<b>it is down' }),
    status: 400,
    body: entities('Can\'t find end tag corresponding to start tag "b"'),
    sentence: 'corresponding to start tag "b"',
  },
  {
    what: 'tags that are closed in another order',
    change: withFields({ text: '<b><i>a</b></i>' }),
    status: 400,
    body: entities('Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
    sentence: 'Unmatched end tag at byte offset 7',
  },
  {
    what: 'a character that is not escaped',
    change: withFields({ text: 'a & b' }),
    status: 400,
    body: entities("Character '&' must be escaped at byte offset 2"),
    sentence: "Character '&' must be escaped",
  },
  {
    what: 'a topic that is no id',
    change: withFields({ message_thread_id: 'general' }),
    status: 400,
    body: { description: 'Bad Request: message thread not found' },
    sentence: 'Telegram: "message_thread_id" must be an integer from 1 to 2147483647, not "general"',
  },
]);
