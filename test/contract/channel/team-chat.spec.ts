import { httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { describeDeclared, textAt } from './declared-suite';

/** The statuses of services that answer 200 with an error in the body. */
const WITH_BODY = [...httpStatuses(), { status: 200, result: 'rejected' } as const];

const MENTION = /@(?:everyone|here|channel|all)/;

describeDeclared({
  type: 'mattermost',
  lengths: { 'attachments.0.title': 400, 'attachments.0.text': 8000, 'attachments.0.fallback': 1000 },
  expectHarmless: (message) => {
    const text = textAt(message, 'attachments.0.text');
    expect(text).not.toMatch(MENTION);
    expect(text).toContain('\\[click\\](http://evil.example) \\*b\\* \\_i\\_ \\`c\\`');
  },
});

describeDeclared({
  type: 'google_chat',
  statuses: [...httpStatuses({ status: 404, result: 'rejected', gone: true }), { status: 200, result: 'rejected' }],
  lengths: { text: 4096 },
  expectHarmless: (message) => expect(textAt(message, 'text')).not.toMatch(/<[^\s\u2060]/),
});

describeDeclared({
  type: 'rocketchat',
  statuses: WITH_BODY,
  lengths: { text: 1000, 'attachments.0.title': 400, 'attachments.0.text': 3500 },
  expectHarmless: (message) => {
    for (const path of ['text', 'attachments.0.text']) expect(textAt(message, path)).not.toMatch(MENTION);
  },
});

describeDeclared({
  type: 'matrix',
  statuses: WITH_BODY,
  lengths: { body: 8000 },
  expectHarmless: ({ data }) => {
    expect(data).toMatchObject({ msgtype: 'm.text', 'm.mentions': {} });
    expect(data).not.toHaveProperty('formatted_body');
  },
  keyOf: ({ path }) => path.split('/').at(-1) ?? '',
});

describeDeclared({
  type: 'zulip',
  statuses: WITH_BODY,
  lengths: { content: 10_000 },
  expectHarmless: (message) => {
    expect(textAt(message, 'content')).not.toMatch(/@[\w*]/);
    expect(textAt(message, 'content')).toContain('\\*b\\*');
  },
});

describeDeclared({ type: 'signal', lengths: { message: 2000 } });

describeDeclared({
  type: 'feishu',
  statuses: WITH_BODY,
  lengths: { 'card.header.title.content': 200, 'card.elements.0.text.content': 9000 },
  expectHarmless: ({ data }) => {
    expect(data).toMatchObject({ card: { elements: [{ text: { tag: 'plain_text' } }] } });
  },
});

describeDeclared({
  type: 'dingtalk',
  statuses: WITH_BODY,
  lengths: { 'text.content': 5000 },
  expectHarmless: ({ data }) => expect(data).toMatchObject({ msgtype: 'text', at: { isAtAll: false } }),
});

describeDeclared({
  type: 'wecom',
  statuses: WITH_BODY,
  lengths: { 'text.content': 2048 },
  expectHarmless: (message) => {
    expect(textAt(message, 'text.content')).not.toMatch(/<[^\s\u2060]/);
    expect(message.data).not.toHaveProperty('text.mentioned_list');
  },
});

describeDeclared({
  type: 'line',
  lengths: { 'messages.0.text': 5000 },
  keyOf: ({ headers }) => headers['x-line-retry-key'] ?? '',
});
