import { describeChannel, httpStatuses } from '../../../src/testing/channel/describe-channel';
import { httpDouble, type ReceivedMessage } from '../../../src/testing/channel/provider-double';

const SECRET_PATH = '/workflows/canary-flow-id/triggers/manual/paths/invoke?sig=canary-teams-signature';

interface TeamsBody {
  attachments: {
    contentType: string;
    content: { fallbackText: string; body: { type: string; inlines: { type: string; text: string }[] }[] };
  }[];
}

const cardOf = (message: ReceivedMessage) => {
  const [attachment] = (message.data as unknown as TeamsBody).attachments;
  if (!attachment) throw new Error('the message has no card');
  return attachment.content;
};

describeChannel({
  type: 'teams',
  open: () =>
    httpDouble({
      config: (url) => ({ webhook_url: url + SECRET_PATH }),
      success: { status: 202 },
      errorBody: (_status, text) => JSON.stringify({ error: { code: 'WorkflowError', message: text } }),
    }),
  secrets: ['canary-teams-signature', 'canary-flow-id', SECRET_PATH],
  // A retired connector responds with 200 and posts nothing.
  statuses: [...httpStatuses(), { status: 200, result: 'rejected' }, { status: 204, result: 'rejected' }],
  limits: (message) => [
    { name: 'message', text: JSON.stringify(message.data), max: 28_000 },
    ...cardOf(message).body.flatMap(({ inlines }) =>
      inlines.map(({ text }) => ({ name: 'text run', text, max: 1200 })),
    ),
  ],
  expectHarmless: (message) => {
    // Text runs are shown as they are; a text block would read markdown.
    const { body } = cardOf(message);
    expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(new Set(body.flatMap(({ inlines }) => inlines.map(({ type }) => type)))).toEqual(new Set(['TextRun']));
    expect(message.text).not.toContain('msteams');
    expect(message.text).not.toContain('Action.');
  },
});
