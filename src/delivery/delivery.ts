import type { Notice } from '../channel/channel';
import type { StoredConfig } from './sealed-config';

/** What is owed. A message that tells several rows at once (a digest) is no row of its own. */
export const NOTIFICATION_KINDS = ['triggered', 'resolved', 'test'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/**
 * `pending` until it is told or given up. `delivered`: the provider took it. `failed`: given up, visible and counted;
 * only a redelivery or another config revives it. `superseded`: not told, because telling it had become wrong.
 */
export const NOTIFICATION_STATES = ['pending', 'delivered', 'failed', 'superseded'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

/** How or why a row reached its state; `redeliver` on a pending one: somebody asked for it, whatever the state of the alert. */
export const NOTIFICATION_DETAILS = [
  // delivered
  'digest',
  'combined',
  'flapping',
  'redelivered',
  // failed
  'rejected',
  'expired',
  'behind_failed',
  'interrupted',
  'not_retried',
  'unsendable',
  // superseded
  'resolved_before_sent',
  'trigger_not_told',
  'collapsed',
  'disabled',
  'deleted',
  // pending
  'redeliver',
] as const;
export type NotificationDetail = (typeof NOTIFICATION_DETAILS)[number];

/** One message an alert owes. Written in the transaction of its cause. */
export interface OwedMessage {
  orgId: string;
  alertId: string;
  /** uuid of the event; `null` for a test. */
  eventId: string | null;
  kind: NotificationKind;
  incidentNo: number;
  channelType: string;
  /** The channel's digest of account and destination: what shares a rate limit and a circuit. */
  destination: string;
  notice: Notice;
  /** A snapshot of the alert's stored config, only when the alert is about to be changed or deleted. */
  config: StoredConfig | null;
}

/** `chat`, `mail` and `sms` are read by people: their messages are merged. Pagers and webhooks get every one, keyed. */
export const isHuman = (audience: 'webhook' | 'pager' | 'chat' | 'mail' | 'sms'): boolean =>
  audience === 'chat' || audience === 'mail' || audience === 'sms';
