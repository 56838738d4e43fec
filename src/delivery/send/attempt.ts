import type { ChannelAudience } from '../../channel/channel';
import { MINUTE_MS } from '../../platform/time/time-units';
import type { Destination } from '../destination';
import type { AttemptContents } from '../plan/batch-plan';

/** One sending of one notification: the deliveries that it covers are leased under one token until its outcome is written. */
export interface Attempt extends Destination, AttemptContents {
  token: string;
  channelType: string;
  audience: ChannelAudience;
  /** Host it goes to, once known: concurrency is limited per host and organization. */
  host: string | null;
  /** On our own monotonic clock, in milliseconds: after this another instance may send. */
  leaseEndsAt: number;
  /** A test has one attempt, whatever its outcome. */
  isTest: boolean;
}

/** How long no other instance touches the deliveries of an attempt: four times what an attempt may take. */
export const LEASE_MS = MINUTE_MS;
