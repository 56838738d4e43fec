import type { ChannelAudience } from '../../channel/channel';
import { MINUTE_MS } from '../../platform/time/time-units';
import type { Destination } from '../destination';
import type { AttemptContents } from '../plan/batch-plan';

/**
 * An attempt to send one notification. The deliveries that it covers are leased under one token until its outcome is
 * written.
 */
export interface Attempt extends Destination, AttemptContents {
  token: string;
  channelType: string;
  audience: ChannelAudience;
  /** The host that it is sent to, once known. Concurrency is limited per host and organization. */
  host: string | null;
  /** When another instance may send it, on this process's monotonic clock, in milliseconds. */
  leaseEndsAt: number;
  /** True for a test, which has only one attempt, even if it fails. */
  isTest: boolean;
}

/** How long an attempt's deliveries are off limits to other instances: four times as long as an attempt may take. */
export const LEASE_MS = MINUTE_MS;
