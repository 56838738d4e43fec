import type { Heartbeat } from '../api/types';
import { secondsOf, spanOf, type TimeSpan } from './time-span';

/** The schedule of a heartbeat while it is edited. */
export interface HeartbeatDraft {
  by: 'period' | 'cron';
  every: TimeSpan;
  cron: string;
  timezone: string;
  /** If empty, a tenth of the period, between a minute and an hour. */
  grace: TimeSpan;
  /** If empty, a run may take any time. */
  max_runtime: TimeSpan;
}

/** Returns a new heartbeat that is expected every night. A cron schedule uses the time zone `zone`. */
export const newHeartbeat = (zone: string): HeartbeatDraft => ({
  by: 'period',
  every: { amount: '1', unit: 'days' },
  cron: '0 3 * * *',
  timezone: zone,
  grace: { amount: '', unit: 'minutes' },
  max_runtime: { amount: '', unit: 'hours' },
});

export const heartbeatDraftOf = (of: Heartbeat, zone: string): HeartbeatDraft => ({
  ...newHeartbeat(zone),
  by: of.cron === null ? 'period' : 'cron',
  ...(of.every !== null && { every: spanOf(of.every, 'hours') }),
  ...(of.cron !== null && { cron: of.cron, timezone: of.timezone ?? zone }),
  grace: spanOf(of.grace, 'minutes'),
  max_runtime: spanOf(of.max_runtime, 'hours'),
});

/** Returns the `heartbeat` member of a request. It leaves out the ping URLs, which don't change. */
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
