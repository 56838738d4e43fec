import { fakeSlack } from '../../../packages/testing/providers/slack';
import { describeStrictness, withBody, withFields, withHeaders, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

interface SlackBody {
  attachments: { color: string; blocks: { type: string; fields?: object[]; text?: object }[] }[];
}
const slackBlock = (block: object) =>
  withBody<SlackBody>(({ attachments: [attachment] }) => void (attachment && (attachment.blocks = [block as never])));
const section = (text: object) => slackBlock({ type: 'section', text });

describeStrictness('slack', fakeSlack, 200, [
  {
    what: 'a token that is not its own',
    change: withPath('/services/T0CANARY1/B0CANARY2/another-token'),
    status: 403,
    body: 'invalid_token',
    sentence:
      'Slack: the request must be to the webhook\'s own path, not "/services/T0CANARY1/B0CANARY2/another-token"',
  },
  {
    what: 'another path',
    change: withPath('/services/T1/B1/token'),
    status: 404,
    body: 'no_service',
    sentence: 'not "/services/T1/B1/token"',
  },
  {
    what: 'a GET',
    change: (request) => ({ ...request, method: 'GET' }),
    status: 400,
    body: 'invalid_payload',
    sentence: 'Slack: the request must be a POST, not "GET"',
  },
  {
    what: 'a body that is not JSON',
    change: (request) => ({ ...request, body: 'text=hello' }),
    status: 400,
    body: 'invalid_payload',
    sentence: 'Slack: the request must be a JSON object, not "text=hello"',
  },
  {
    what: 'a content type that is not JSON',
    change: withHeaders({ 'content-type': 'text/plain' }),
    status: 400,
    body: 'invalid_payload',
    sentence: 'Slack: the request must be sent as application/json, not "text/plain"',
  },
  {
    what: 'a message without text, blocks and attachments',
    change: withBody(() => ({ username: 'Uptime' })),
    status: 400,
    body: 'no_text',
    sentence: 'Slack: the request must be a message with text, blocks or attachments',
  },
  {
    what: 'a text that it would cut',
    change: withFields({ text: letters(40_001) }),
    status: 400,
    body: 'msg_too_long',
    sentence: 'Slack: "text" must be 0 to 40000 characters, not 40001',
  },
  {
    what: 'more than 50 blocks',
    change: withFields({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }),
    status: 400,
    body: 'invalid_blocks',
    sentence: 'Slack: "blocks" must be at most 50 elements, not 51',
  },
  {
    what: 'a section of more than 3000 characters',
    change: section({ type: 'mrkdwn', text: letters(3001) }),
    status: 400,
    body: 'invalid_blocks',
    sentence: 'Slack: "attachments[0].blocks[0].text.text" must be 1 to 3000 characters, not 3001',
  },
  {
    what: 'an empty text in a section',
    change: section({ type: 'mrkdwn', text: '' }),
    status: 400,
    body: 'invalid_blocks',
    sentence: 'Slack: "attachments[0].blocks[0].text.text" is required',
  },
  {
    what: 'a text of an unknown type',
    change: section({ type: 'markdown', text: 'hello' }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].text.type" must be one of "plain_text", "mrkdwn", not "markdown"',
  },
  {
    what: 'a section with neither text nor fields',
    change: slackBlock({ type: 'section' }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0]" must be a section with text or fields',
  },
  {
    what: 'more than 10 fields',
    change: slackBlock({
      type: 'section',
      fields: Array.from({ length: 11 }, () => ({ type: 'mrkdwn', text: 'a' })),
    }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].fields" must be at most 10 elements, not 11',
  },
  {
    what: 'a field of more than 2000 characters',
    change: slackBlock({ type: 'section', fields: [{ type: 'mrkdwn', text: letters(2001) }] }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].fields[0].text" must be 1 to 2000 characters, not 2001',
  },
  {
    what: 'a header of more than 150 characters',
    change: slackBlock({ type: 'header', text: { type: 'plain_text', text: letters(151) } }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].text.text" must be 1 to 150 characters, not 151',
  },
  {
    what: 'a header in mrkdwn',
    change: slackBlock({ type: 'header', text: { type: 'mrkdwn', text: 'hello' } }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].text.type" must be one of "plain_text", not "mrkdwn"',
  },
  {
    what: 'a block of an unknown type',
    change: slackBlock({ type: 'paragraph' }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"attachments[0].blocks[0].type" must be one of "section"',
  },
  {
    what: 'two blocks with one id',
    change: withFields({ blocks: [1, 2].map(() => ({ type: 'divider', block_id: 'same' })) }),
    status: 400,
    body: 'invalid_blocks',
    sentence: '"blocks[1].block_id" must be unique in its message, not "same"',
  },
  {
    what: 'an unknown colour',
    change: withBody<SlackBody>(({ attachments: [attachment] }) => void (attachment && (attachment.color = 'crimson'))),
    status: 400,
    body: 'invalid_payload',
    sentence: '"attachments[0].color" must be good, warning, danger or #rrggbb, not "crimson"',
  },
  {
    what: 'more than 100 attachments',
    change: withFields({ attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) }),
    status: 400,
    body: 'too_many_attachments',
    sentence: '"attachments" must be at most 100 elements, not 101',
  },
]);
