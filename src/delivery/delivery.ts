import type { ChannelAudience } from '../channel/channel';
import type { Notification } from '../channel/notification';
import type { SealedConfig } from './config/sealed-config';

/**
 * What a delivery is for; `acknowledged` goes to pagers only, `reminder` to all others, both between a trigger and its resolve.
 * `contact_failing` has no alert, goes to no pager and is a queue of its own. `expiry` is of an alert and goes to no pager. A digest covers several deliveries and is not one
 * itself.
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
 * `pending` until it reaches one of the other states. `delivered`: the provider accepted it. `failed`: given up, visible
 * and counted; only a redelivery or another config revives it. `superseded`: never sent, because later changes made it
 * wrong.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How or why a delivery reached its state. `redeliver` on a pending one: a client asked for it, whatever the state of the alert. */
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

/** A delivery as its cause enqueues it, in the same transaction. */
export interface NewDelivery {
  /** uuid; given where its notification names it. */
  id?: string;
  orgId: string;
  /** `null` for `contact_failing`, which only a contact can take. */
  alertId: string | null;
  /** The contact that it goes through; `null` for the alert's own config. */
  contactId: string | null;
  /** uuid of the event; `null` where none is told. */
  eventId: string | null;
  /** Of a reminder: the event of its trigger, and its number. Together they are there once. */
  reminder?: { of: string; ordinal: number };
  kind: DeliveryKind;
  incidentNo: number;
  channelType: string;
  /** The destination's key: what shares a rate limit and a circuit breaker. */
  destination: string;
  notification: Notification;
  /** A snapshot of the stored config (with a contact, the contact's), only when the alert is about to be changed or deleted. */
  config: SealedConfig | null;
}

/** What became of the trigger that a resolve belongs to, when the trigger is no longer in the queue in front of it. */
export type TriggerOutcome =
  /** Delivered, alone or with others; or its row has been removed since. */
  | 'notified'
  /** Given up or dropped, but an attempt may have arrived. */
  | 'maybe_notified'
  /** Refused by the provider; another config revives it. */
  | 'parked'
  /** Too old after failed attempts, and certainly never arrived. */
  | 'given_up'
  /** Dropped before anything was sent. */
  | 'dropped'
  /** About to be sent again because a client asked for a redelivery. */
  | 'pending';

/** A delivery in the queue of one alert at one destination. */
export interface PendingDelivery {
  id: string;
  kind: Exclude<DeliveryKind, 'test'>;
  incidentNo: number;
  mayHaveArrived: boolean;
  /** Of all but a resolve: true when its episode has already ended, whether or not the resolve is to be sent. */
  ended: boolean;
  /** Of all but a trigger, when their trigger is not in the queue. */
  triggerOutcome: TriggerOutcome;
}

/** A delivery whose turn it is, by its queue and its own due time. */
export interface DueDelivery {
  id: string;
  /** uuid of the alert; without one its own. */
  queueId: string;
  kind: DeliveryKind;
  redeliver: boolean;
}

/** A pending delivery under its row lock, with all that the plan needs. */
export interface LockedDelivery extends PendingDelivery {
  /** uuid of the alert; without one its own. */
  queueId: string;
  redeliver: boolean;
  inFlight: boolean;
  /** uuids; `null` where it is of none. */
  endpointId: string | null;
  incidentId: string | null;
  attempts: number;
  rejections: number;
  createdAt: Date;
}

/** A delivery and what it becomes. */
export interface DeliveryEnd {
  id: string;
  state: DeliveryState;
  detail: DeliveryDetail | null;
}

/** A delivery covered by an attempt, with what decides what it becomes if the attempt fails. */
export interface AttemptedDelivery {
  /** What it becomes once the notification is delivered. */
  end: DeliveryEnd;
  /** Including the attempt that is being made. */
  attempts: number;
  rejections: number;
  mayHaveArrived: boolean;
  createdAt: Date;
}

/** What one alert contributes to an attempt's notification. */
export interface AttemptPart {
  kind: DeliveryKind | 'recovered' | 'flapping';
  /** The delivery whose notification is sent. */
  primary: string;
  /** Another delivery of the same alert that the text draws on. */
  merged: string | null;
}

/** `chat`, `mail` and `sms` are read by people: their notifications are merged. Pagers and webhooks get every one, keyed. */
export const isHuman = (audience: ChannelAudience): boolean =>
  audience === 'chat' || audience === 'mail' || audience === 'sms';
