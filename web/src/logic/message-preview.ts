import type { Notification } from '../../../src/channel/notification';
import { notificationText, type NotificationText } from '../../../src/channel/notification-text';
import { smsText } from '../../../src/channel/vendor/sms-text';
import type { ApiDocument, Schema } from './config-schema';

const MINUTE = 60_000;

/** The messages for a made-up incident, worded as the service would, and the form they arrive in. */
export interface MessagePreview {
  /** `event` is an event sent to a pager. */
  form: 'mail' | 'chat' | 'sms' | 'event';
  messages: Pick<NotificationText, 'tone' | 'sentence' | 'facts'>[];
}

const FORMS: Readonly<Record<string, MessagePreview['form']>> = {
  email: 'mail',
  twilio: 'sms',
  pagerduty: 'event',
  opsgenie: 'event',
  alertmanager: 'event',
  splunk_oncall: 'event',
  ilert: 'event',
};

/** The settings in a rule that affect the messages. */
interface Rule {
  condition: 'down' | 'degraded';
  failure_threshold: number;
  send_on_resolved: boolean;
}

function sampleOf(kind: 'triggered' | 'resolved', { failure_threshold, condition }: Rule, nowMs: number): Notification {
  const at = (minutes: number) => new Date(nowMs + minutes * MINUTE).toISOString();
  const isResolved = kind === 'resolved';
  return {
    kind,
    id: '',
    incidentKey: '',
    triggerId: null,
    repeat: false,
    alert: { id: '', description: '' },
    endpoint: { id: '', name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS' },
    website: { id: '', name: 'Shop', url: 'https://shop.example.com' },
    condition,
    isDegraded: false,
    reason: isResolved ? 'threshold' : null,
    error: isResolved ? null : { code: 'connection_refused', message: 'connection refused' },
    failureCount: Math.max(1, failure_threshold || 1),
    successCount: 0,
    startedAt: at(0),
    createdAt: at(isResolved ? 14 : 2),
    durationSeconds: isResolved ? 14 * 60 : null,
    check: null,
    digest: null,
  };
}

/** Returns a channel type's messages for an outage, and for the recovery if the rule sends it. */
export function messagesOf(type: string, rule: Rule, nowMs: number): MessagePreview {
  const form = FORMS[type] ?? 'chat';
  const kinds = ['triggered', ...(rule.send_on_resolved ? (['resolved'] as const) : [])] as const;
  const messages = kinds.map((kind) => {
    const text = notificationText(sampleOf(kind, rule, nowMs));
    return form === 'sms' ? { ...text, sentence: smsText(`${text.sentence}\n${text.target}`), facts: [] } : text;
  });
  return { form, messages };
}

/** Returns a sample value, built from examples in the API document. */
function exampleOf(schema: Schema, all: Record<string, Schema>): unknown {
  const ref = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
  if (schema.example !== undefined) return schema.example;
  if (ref !== undefined) return exampleOf(all[ref.split('/').at(-1) ?? ''] ?? {}, all);
  const parts = [schema, ...(schema.allOf ?? [])].flatMap(({ properties }) => Object.entries(properties ?? {}));
  if (parts.length > 0) return Object.fromEntries(parts.map(([key, each]) => [key, exampleOf(each, all)]));
  return schema.enum?.[0] ?? null;
}

/** Returns the request that a webhook receives when an alert triggers, built from examples in the API document. */
export const webhookExample = ({ components: { schemas } }: ApiDocument): unknown =>
  exampleOf(schemas['AlertTriggered'] ?? {}, schemas);
