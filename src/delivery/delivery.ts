import type { ChannelAudience } from '../channel/channel';
import type { Notification } from '../channel/notification';
import type { SealedConfig } from './config/sealed-config';

/**
 * The purpose of a delivery. `acknowledged` is only sent to pagers, and `reminder` to all other channels. Both come
 * between a trigger and its resolve. `contact_failing` has no alert, isn't sent to pagers, and has a separate queue.
 * `expiry` belongs to an alert and isn't sent to pagers. A digest covers several deliveries and isn't one itself.
 */
export const DELIVERY_KINDS = [
  'triggered',
  'resolved',
  'acknowledged',
  'reminder',
  'test',
  'contact_failing',
  'expiry',
] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/**
 * The state of a delivery. It is `pending` until it reaches one of the other states. `delivered`: the provider accepted
 * it. `failed`: given up, visible, and counted. Only a redelivery or a new config revives it. `superseded`: never sent,
 * because later changes made it obsolete.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * How or why a delivery reached its state. `redeliver` on a pending delivery means that a client requested it,
 * regardless of the alert's state.
 */
export const DETAILS_OF = {
  delivered: ['digest', 'combined', 'flapping', 'redelivered'],
  failed: ['rejected', 'expired', 'behind_failed', 'interrupted', 'not_retried', 'unsendable'],
  superseded: ['resolved_before_sent', 'trigger_not_told', 'collapsed', 'not_supported', 'disabled', 'deleted'],
  pending: ['redeliver'],
} as const satisfies Record<DeliveryState, readonly string[]>;
export const DELIVERY_DETAILS = [
  ...DETAILS_OF.delivered,
  ...DETAILS_OF.failed,
  ...DETAILS_OF.superseded,
  ...DETAILS_OF.pending,
] as const;
export type DeliveryDetail = (typeof DELIVERY_DETAILS)[number];

/** A delivery to be enqueued, in the same transaction as its cause. */
export interface NewDelivery {
  /** UUID of the delivery, if its notification contains it. */
  id?: string;
  orgId: string;
  /** The alert, or `null` for `contact_failing`, which is only sent to a contact. */
  alertId: string | null;
  /** The contact to notify, or `null` for the alert's own config. */
  contactId: string | null;
  /** UUID of the event, or `null` if there is none. */
  eventId: string | null;
  /** For a reminder, its trigger event and its number. The pair is unique. */
  reminder?: { of: string; ordinal: number };
  kind: DeliveryKind;
  episodeNo: number;
  channelType: string;
  /** The destination's key. Deliveries with the same key share a rate limit and a circuit breaker. */
  destination: string;
  notification: Notification;
  /**
   * A snapshot of the stored config of the alert or its contact. Present only if the alert is about to be changed or
   * deleted.
   */
  config: SealedConfig | null;
}

/** The outcome of the trigger that a resolve belongs to, if that trigger is no longer ahead of it in the queue. */
export type TriggerOutcome =
  /** Delivered, alone or with others, or its row has since been removed. */
  | 'notified'
  /** Given up or dropped, but an attempt may have arrived. */
  | 'maybe_notified'
  /** Rejected by the provider. A new config revives it. */
  | 'parked'
  /** Too old after failed attempts, and certainly never delivered. */
  | 'given_up'
  /** Dropped before anything was sent. */
  | 'dropped'
  /** About to be sent again because a client requested a redelivery. */
  | 'pending';

/** A delivery in an alert's queue for one destination. */
export interface PendingDelivery {
  id: string;
  kind: Exclude<DeliveryKind, 'test'>;
  episodeNo: number;
  mayHaveArrived: boolean;
  /**
   * For every kind except a resolve: true if its episode has already ended, whether or not the resolve will be sent.
   */
  ended: boolean;
  /** For every kind except a trigger: the outcome of its trigger, if the trigger isn't in the queue. */
  triggerOutcome: TriggerOutcome;
}

/** A delivery that is due, based on both its queue and its own due time. */
export interface DueDelivery {
  id: string;
  /** UUID of the alert, or of the delivery itself if there is no alert. */
  queueId: string;
  kind: DeliveryKind;
  redeliver: boolean;
}

/** A locked pending delivery, with everything that the plan needs. */
export interface LockedDelivery extends PendingDelivery {
  /** UUID of the alert, or of the delivery itself if there is no alert. */
  queueId: string;
  redeliver: boolean;
  inFlight: boolean;
  /** UUIDs, or `null` if there is none. */
  endpointId: string | null;
  incidentId: string | null;
  attempts: number;
  rejections: number;
  createdAt: Date;
}

export interface DeliveryEnd {
  id: string;
  state: DeliveryState;
  detail: DeliveryDetail | null;
}

/** A delivery covered by an attempt, and the facts that decide its state if the attempt fails. */
export interface AttemptedDelivery {
  /** The delivery's state once the notification is delivered. */
  end: DeliveryEnd;
  /** The number of attempts, including the current one. */
  attempts: number;
  rejections: number;
  mayHaveArrived: boolean;
  createdAt: Date;
}

/** The part of an attempt's notification that comes from one alert. */
export interface AttemptPart {
  kind: DeliveryKind | 'recovered' | 'flapping';
  /** The delivery whose notification is sent. */
  primary: string;
  /** Another delivery for the same alert that the text uses. */
  merged: string | null;
}

/**
 * Returns true for channels that people read, whose notifications are merged. Pagers and webhooks get every
 * notification, with a key.
 */
export const isHuman = (audience: ChannelAudience): boolean =>
  audience === 'chat' || audience === 'mail' || audience === 'sms';
