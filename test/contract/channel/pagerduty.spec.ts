import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakePagerDuty, PAGERDUTY_SECRETS } from '../../../packages/testing/providers/pagerduty';

interface EventPayload {
  summary: string;
  source: string;
  custom_details: Record<string, string>;
}

const payloadOf = (message: ReceivedMessage): EventPayload => message.data['payload'] as EventPayload;

describeChannel({
  type: 'pagerduty',
  open: fakePagerDuty,
  secrets: PAGERDUTY_SECRETS,
  statuses: httpStatuses(),
  limits: (message) => [
    { name: 'summary', text: payloadOf(message).summary, max: 1024 },
    { name: 'source', text: payloadOf(message).source, max: 255 },
    { name: 'dedup_key', text: String(message.data['dedup_key']), max: 255 },
    { name: 'event', text: JSON.stringify(message.data), max: 512_000 },
  ],
  expectHarmless: (message) => {
    expect(payloadOf(message).summary).toMatch(/^[^\r\n]+$/);
    expect(payloadOf(message).summary).toContain('<script>');
  },
  keyOf: (message) => String(message.data['dedup_key']),
  keyIsShared: true,
  acknowledges: true,
});
