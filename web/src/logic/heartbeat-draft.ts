import type { Heartbeat } from '../api/types';
import { secondsOf, spanOf, type TimeSpan } from './time-span';

/** The schedule of a heartbeat while it is edited. */
export interface HeartbeatDraft {
  by: 'period' | 'cron';
  every: TimeSpan;
  cron: string;
  timezone: string;
  /** Empty: a tenth of the period, a minute to an hour. */
  grace: TimeSpan;
  /** Empty: as long as it takes. */
  max_runtime: TimeSpan;
}

/** A new one: every night, on the clock of `zone` where it is by cron. */
export const newHeartbeat = (zone: string): HeartbeatDraft => ({
  by: 'period',
  every: { amount: '1', unit: 'days' },
  cron: '0 3 * * *',
  timezone: zone,
  grace: { amount: '', unit: 'minutes' },
  max_runtime: { amount: '', unit: 'hours' },
});

/** The schedule of one that exists. */
export const heartbeatDraftOf = (of: Heartbeat, zone: string): HeartbeatDraft => ({
  ...newHeartbeat(zone),
  by: of.cron === null ? 'period' : 'cron',
  ...(of.every !== null && { every: spanOf(of.every, 'hours') }),
  ...(of.cron !== null && { cron: of.cron, timezone: of.timezone ?? zone }),
  grace: spanOf(of.grace, 'minutes'),
  max_runtime: spanOf(of.max_runtime, 'hours'),
});

/** The member `heartbeat` of a request; without the addresses, which stay as they are. */
export function heartbeatBody(draft: HeartbeatDraft): Partial<Heartbeat> {
  const [grace, max_runtime] = [secondsOf(draft.grace), secondsOf(draft.max_runtime)];
  return {
    ...(draft.by === 'cron'
      ? { cron: draft.cron.trim(), timezone: draft.timezone }
      : { every: secondsOf(draft.every) ?? 0 }),
    ...(grace !== null && { grace }),
    ...(max_runtime !== null && { max_runtime }),
  };
}
