import type { ChannelAudience } from '../../channel/channel';
import type { PlannedNotification, DeliveryEnd } from '../plan/queue-plan';

/** One row of a shipment, with what decides its fate after a failed attempt. */
export interface AttemptedDelivery {
  /** What it becomes once the message is delivered. */
  end: DeliveryEnd;
  /** Including the attempt that is being made. */
  attempts: number;
  rejections: number;
  mayHaveArrived: boolean;
  createdAt: Date;
}

/** What one alert contributes to a message. */
export type AttemptPart = Pick<PlannedNotification, 'primary' | 'merged'> & {
  kind: PlannedNotification['kind'] | 'test';
};

/** One message on its way: the rows it tells are leased under one token until its outcome is written. */
export interface Attempt {
  token: string;
  orgId: string;
  destination: string;
  channelType: string;
  audience: ChannelAudience;
  /** Host it goes to, once known: slots are shared per host. */
  host: string | null;
  /** On our own monotonic clock, in milliseconds: after this another instance may send. */
  leaseEndsAt: number;
  /** A test message: one attempt, whatever comes of it. */
  isTest: boolean;
  /** One, or in a digest those that are named, in the order in which they matter. */
  messages: readonly AttemptPart[];
  /** True when any of it may have arrived before. */
  repeat: boolean;
  /** Of a digest: how many of each kind it stands for. */
  digest: { triggered: number; resolved: number } | null;
  rows: readonly AttemptedDelivery[];
}

/** How long nobody else touches the rows of a shipment: four times what an attempt may take. */
export const LEASE_MS = 60_000;
/** One attempt, from opening the connection to the last byte of the answer. */
export const ATTEMPT_LIMIT_MS = 15_000;
