import type { Notification } from '../channel/channel';
import type { SealedConfig } from './sealed-config';

/** What is owed. A message that tells several rows at once (a digest) is no row of its own. */
export const DELIVERY_KINDS = ['triggered', 'resolved', 'test'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/**
 * `pending` until it is told or given up. `delivered`: the provider took it. `failed`: given up, visible and counted;
 * only a redelivery or another config revives it. `superseded`: not told, because telling it had become wrong.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How or why a row reached its state; `redeliver` on a pending one: somebody asked for it, whatever the state of the alert. */
export const DELIVERY_DETAILS = [
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
export type DeliveryDetail = (typeof DELIVERY_DETAILS)[number];

/** One message an alert owes. Written in the transaction of its cause. */
export interface NewDelivery {
  orgId: string;
  alertId: string;
  /** uuid of the event; `null` for a test. */
  eventId: string | null;
  kind: DeliveryKind;
  incidentNo: number;
  channelType: string;
  /** The channel's digest of account and destination: what shares a rate limit and a circuit. */
  destination: string;
  notice: Notification;
  /** A snapshot of the alert's stored config, only when the alert is about to be changed or deleted. */
  config: SealedConfig | null;
}

/** `chat`, `mail` and `sms` are read by people: their messages are merged. Pagers and webhooks get every one, keyed. */
export const isHuman = (audience: 'webhook' | 'pager' | 'chat' | 'mail' | 'sms'): boolean =>
  audience === 'chat' || audience === 'mail' || audience === 'sms';
