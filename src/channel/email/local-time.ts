import { isTimeZone } from '../../platform/time/time-zone';

const UTC_TIME = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g;

/** Returns a time such as `28 Nov 2026, 09:15:12 Europe/Berlin`. An unknown time zone counts as UTC. */
export function localTime(iso: string, timezone: string): string {
  const zone = isTimeZone(timezone) ? timezone : 'UTC';
  const parts = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  }).format(new Date(iso));
  return `${parts} ${zone}`;
}

/** Replaces each time such as `2026-11-28 08:15:12 UTC` in a text. */
export const localTimes = (text: string, timezone: string): string =>
  timezone === 'UTC'
    ? text
    : text.replace(UTC_TIME, (_, day: string, clock: string) => localTime(`${day}T${clock}Z`, timezone));
