import { MAX_THRESHOLD, REMIND_EVERY_BOUNDS } from '../../../src/alert-rule/alert-rule';
import type { DeclaredAlert } from '../../../src/configuration/document/document';
import type { Channel } from './contacts';
import { quoted } from './monitor/draft';
import type { MappedEndpoint } from './monitor/endpoint';
import type { Row } from './file/row';

/** Kuma sends a notification for the first failure after its retries, and for the first success. */
const SUCCESSES = 1;

/** Returns a monitor's alerts, one for each notification that became a contact. */
export function alertsOf(
  monitor: Row,
  channels: readonly Channel[],
  { interval, heartbeat }: MappedEndpoint['endpoint'],
): { alerts: DeclaredAlert[]; differences: string[] } {
  const usable = channels.filter((channel) => 'key' in channel);
  const lost = channels.filter((channel) => 'refused' in channel).map(({ name }) => quoted(name, 100));
  const differences = lost.length > 0 ? [`no notifications are sent through ${lost.join(', ')}`] : [];
  // A heartbeat's grace time already includes its retries.
  const retries = heartbeat ? 0 : Math.max(0, Math.floor(monitor.number('maxretries') ?? 0));
  const failures = retries + 1;
  const threshold = Math.min(failures, MAX_THRESHOLD);
  if (threshold < failures) differences.push(`its alerts trigger after ${threshold} failures, not after ${failures}`);
  const remind = remindEvery(monitor, heartbeat?.every ?? interval ?? 0);
  if (remind.difference !== null && usable.length > 0) differences.push(remind.difference);
  const alerts = usable.map(({ key, tellsResolved, isActive }): DeclaredAlert => ({
    key,
    contact: key,
    failure_threshold: threshold,
    success_threshold: SUCCESSES,
    ...(isActive ? {} : { enabled: false }),
    ...(tellsResolved ? {} : { send_on_resolved: false }),
    ...(remind.seconds === null ? {} : { remind_every: remind.seconds }),
  }));
  return { alerts, differences };
}

/** `resendInterval` is a number of checks. */
function remindEvery(monitor: Row, interval: number): { seconds: number | null; difference: string | null } {
  const checks = monitor.number('resendInterval') ?? 0;
  if (checks <= 0) return { seconds: null, difference: null };
  const wanted = Math.round(checks * interval);
  const { minimum, maximum } = REMIND_EVERY_BOUNDS;
  const seconds = Math.min(Math.max(wanted, minimum), maximum);
  return {
    seconds,
    difference: seconds === wanted ? null : `reminders are sent every ${seconds} seconds, not every ${wanted}`,
  };
}
