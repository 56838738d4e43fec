import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeSlack, SLACK_SECRETS } from '../../../packages/testing/providers/slack';

interface SlackBody {
  text: string;
  attachments: { fallback: string; blocks: { text?: { text: string }; fields?: { text: string }[] }[] }[];
}

const bodyOf = (message: ReceivedMessage): SlackBody => message.data as unknown as SlackBody;

const textsOf = (message: ReceivedMessage): string[] => {
  const { text, attachments } = bodyOf(message);
  return [
    text,
    ...attachments.flatMap(({ fallback, blocks }) => [
      fallback,
      ...blocks.flatMap((block) => [block.text?.text ?? '', ...(block.fields ?? []).map((field) => field.text)]),
    ]),
  ];
};

describeChannel({
  type: 'slack',
  open: fakeSlack,
  secrets: SLACK_SECRETS,
  statuses: httpStatuses({ status: 404, result: 'rejected', gone: true }),
  limits: (message) => {
    const [attachment] = bodyOf(message).attachments;
    return [
      { name: 'text', text: bodyOf(message).text, max: 3000 },
      ...(attachment?.blocks ?? []).flatMap((block) => [
        ...(block.text ? [{ name: 'section', text: block.text.text, max: 3000 }] : []),
        ...(block.fields ?? []).map(({ text }) => ({ name: 'field', text, max: 2000 })),
      ]),
    ];
  },
  expectHarmless: (message) => {
    for (const text of textsOf(message)) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    // Compatible servers also read plain text.
    expect(textsOf(message).join('\n')).toContain('everyone');
    for (const text of textsOf(message)) expect(text).not.toMatch(/@(?:everyone|here|channel|all)/);
  },
});
