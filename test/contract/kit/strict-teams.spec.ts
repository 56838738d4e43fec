import { fakeTeams } from '../../../packages/testing/providers/teams';
import { describeStrictness, withBody, withFields, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

interface TeamsBody {
  attachments: { contentType: string; content: { version: string; body: object[]; actions?: object[] } }[];
}
const card = (fields: object) =>
  withBody<TeamsBody>(
    ({ attachments: [attachment] }) => void (attachment && Object.assign(attachment.content, fields)),
  );
const SCHEMA = { error: { code: 'TriggerInputSchemaMismatch' } };

describeStrictness('teams', fakeTeams, 202, [
  {
    what: 'a wrong signature',
    change: withPath('/workflows/canary-flow-id/triggers/manual/paths/invoke?sig=another'),
    status: 401,
    body: { error: { code: 'AuthorizationFailed' } },
    sentence: "Teams: the request must be signed with the workflow's sig, not",
  },
  {
    what: 'another workflow',
    change: withPath('/workflows/another/triggers/manual/paths/invoke?sig=canary-teams-signature'),
    status: 404,
    body: { error: { code: 'WorkflowNotFound' } },
    sentence: "Teams: the request must be to the workflow's own path, not",
  },
  {
    what: 'a card of a retired connector',
    change: withBody(() => ({ '@type': 'MessageCard', summary: 'It is down', text: 'It is down' })),
    status: 400,
    body: SCHEMA,
    sentence: 'Teams: "@type" must be absent: connector cards are retired, not "MessageCard"',
  },
  {
    what: 'a card without its envelope',
    change: withBody<TeamsBody>(({ attachments: [attachment] }) => attachment?.content),
    status: 400,
    body: SCHEMA,
    sentence: 'Teams: "type" must be "message", not "AdaptiveCard"',
  },
  {
    what: 'an attachment of another type',
    change: withBody<TeamsBody>(
      ({ attachments: [attachment] }) => void (attachment && (attachment.contentType = 'text/html')),
    ),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].contentType" must be one of "application/vnd.microsoft.card.adaptive", not "text/html"',
  },
  {
    what: 'a message without a card',
    change: withFields({ attachments: [] }),
    status: 400,
    body: SCHEMA,
    sentence: 'Teams: "attachments" must be at least one card, not []',
  },
  {
    what: 'a message of more than 28 KB',
    change: card({ fallbackText: letters(28 * 1024) }),
    status: 413,
    body: { error: { code: 'RequestEntityTooLarge' } },
    sentence: 'Teams: the request must be at most 28672 bytes, not 3',
  },
  {
    what: 'a version that Teams does not show',
    change: card({ version: '1.6' }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.version" must be one of "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", not "1.6"',
  },
  {
    what: 'an element of an unknown type',
    change: card({ body: [{ type: 'Paragraph' }] }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.body[0].type" must be one of "TextBlock"',
  },
  {
    what: 'a text block without a text, however deep',
    change: card({ body: [{ type: 'Container', items: [{ type: 'TextBlock' }] }] }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.body[0].items[0].text" is required',
  },
  {
    what: 'an unknown colour',
    change: card({ body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'a', color: 'red' }] }] }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.body[0].inlines[0].color" must be one of default, dark',
  },
  {
    what: 'an action that a webhook cannot have',
    change: card({ actions: [{ type: 'Action.Submit', title: 'Acknowledge' }] }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.actions[0].type" must be one of "Action.OpenUrl"',
  },
  {
    what: 'a link without an absolute URL',
    change: card({ actions: [{ type: 'Action.OpenUrl', title: 'Details', url: '/endpoints' }] }),
    status: 400,
    body: SCHEMA,
    sentence: '"attachments[0].content.actions[0].url" must be an absolute http or https URL, not "/endpoints"',
  },
]);
