import { messagesOf, webhookExample } from '../../../web/src/logic/message-preview';

const RULE = { condition: 'down', failure_threshold: 2, send_on_resolved: true } as const;
const NOW = Date.parse('2026-11-26T10:00:00Z');
const sentences = (type: string, rule: Parameters<typeof messagesOf>[1] = RULE) =>
  messagesOf(type, rule, NOW).messages.map(({ sentence }) => sentence);

describe('the preview of a message', () => {
  it("shows the service's text, with the settings of the rule", () => {
    expect(sentences('slack')).toEqual([
      'Checkout is down: connection refused (2 checks in a row)',
      'Checkout is back up after 14 min',
    ]);
    expect(sentences('email', { ...RULE, failure_threshold: 1, send_on_resolved: false })).toEqual([
      'Checkout is down: connection refused (1 check in a row)',
    ]);
  });

  it('has the facts of an email or a chat, the one text of an SMS', () => {
    const [mail] = messagesOf('email', RULE, NOW).messages;
    expect(mail?.facts.map(({ label }) => label)).toEqual([
      'Website',
      'Endpoint',
      'Target',
      'Error',
      'Since',
      'Reported',
    ]);
    const { form, messages } = messagesOf('twilio', RULE, NOW);
    expect([form, messages[0]?.facts]).toEqual(['sms', []]);
    expect(messages[0]?.sentence).toContain('\nhttps://shop.example.com/checkout');
  });

  it('builds the request of a webhook from the examples in the API document', () => {
    const schemas = {
      AlertTriggered: {
        properties: { type: { enum: ['alert.triggered'] }, data: { allOf: [{ $ref: '#/components/schemas/Data' }] } },
      },
      Data: { properties: { endpoint: { example: 'Checkout' }, error: {} } },
    };
    expect(webhookExample({ components: { schemas } })).toEqual({
      type: 'alert.triggered',
      data: { endpoint: 'Checkout', error: null },
    });
  });
});
