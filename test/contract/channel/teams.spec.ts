import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeTeams, TEAMS_SECRETS } from '../../../packages/testing/providers/teams';

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
  open: fakeTeams,
  secrets: TEAMS_SECRETS,
  statuses: httpStatuses(),
  limits: (message) => [
    { name: 'message', text: JSON.stringify(message.data), max: 28_000 },
    ...cardOf(message).body.flatMap(({ inlines }) =>
      inlines.map(({ text }) => ({ name: 'text run', text, max: 1200 })),
    ),
  ],
  expectHarmless: (message) => {
    // Text runs are shown unchanged. A text block would parse Markdown.
    const { body } = cardOf(message);
    expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(new Set(body.flatMap(({ inlines }) => inlines.map(({ type }) => type)))).toEqual(new Set(['TextRun']));
    expect(message.text).not.toContain('msteams');
    expect(message.text).not.toContain('Action.');
  },
});
