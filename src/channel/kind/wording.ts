import type { Notification } from '../notification';
import { oneLine } from '../../platform/text/text-limits';

/** Returns a duration with at most two units: `45 s`, `12 min 3 s`, `3 h 4 min`, `2 d 3 h`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units = [
    { size: 86_400, name: 'd' },
    { size: 3600, name: 'h' },
    { size: 60, name: 'min' },
    { size: 1, name: 's' },
  ];
  const first = units.findIndex(({ size }) => whole >= size);
  if (first === -1) return '0 s';
  let rest = whole;
  const parts = units.slice(first, first + 2).map(({ size, name }) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, name };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(' ');
}

/** Formats an ISO timestamp as `2026-11-20 12:01:33 UTC`. */
export const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/**
 * Returns a target in a form that is safe to show in a chat room. For an http(s) URL, it excludes the user name,
 * password, and query string.
 */
export function targetText(url: string): string {
  const line = oneLine(url);
  if (!/^https?:/i.test(line)) return line;
  return line.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*/s, '');
}

/** Returns the state of an endpoint that does not respond as it should. */
export const stateOf = ({ isDegraded }: Notification): string => (isDegraded ? 'degraded' : 'down');

/** Returns what to add to a state if the endpoint was down before in the same incident. */
export const again = (outage = 1): string => (outage > 1 ? ' again' : '');

/** Returns text such as ` for 5 min`, or an empty string if the duration is unknown. */
export const lasting = (word: 'after' | 'for', { durationSeconds }: Notification): string =>
  durationSeconds === null ? '' : ` ${word} ${durationText(durationSeconds)}`;

/** Returns the reminder text for an endpoint, such as `still down for 5 min`, for use alone or in a digest. */
export const stillText = (notification: Notification): string =>
  `still ${stateOf(notification)}${lasting('for', notification)}`;

/** Returns the recovery text for an endpoint, such as `up again after 5 min`, for use alone or in a digest. */
export const recoveryText = (notification: Notification): string =>
  `${notification.isDegraded ? 'no longer degraded' : 'back up'}${lasting('after', notification)}`;

/** Returns a description of what a flapping alert does too often. */
export const changesOf = ({ condition }: Notification): string =>
  condition === 'degraded' ? 'going down or degraded and recovering' : 'going up and down';

/** Returns text such as `: connection refused`, or an empty string without an error. */
export const because = (notification: Notification): string =>
  notification.error
    ? `: ${oneLine(notification.error.message).replace(/(?<!\.)\.+$/, '') || oneLine(notification.error.code)}`
    : '';
