import type { Heartbeat } from '../api/types';
import { secondsOf, spanOf, type TimeSpan } from './time-span';

/** A heartbeat schedule that is being edited. */
export interface HeartbeatDraft {
  by: 'period' | 'cron';
  every: TimeSpan;
  cron: string;
  timezone: string;
  /** If empty, a tenth of the period, but at least a minute and at most an hour. */
  grace: TimeSpan;
  /** If empty, a run may take any amount of time. */
  max_runtime: TimeSpan;
}

/** Returns a new heartbeat that is expected every night. If it has a cron schedule, the time zone is `zone`. */
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

/** Returns the `heartbeat` property for a request. It omits the ping URLs, which don't change. */
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
