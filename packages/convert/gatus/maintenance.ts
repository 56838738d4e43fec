import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from '../../../src/maintenance/window-rules';
import { isTimeZone } from '../../../src/platform/time/time-zone';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/platform/time/time-units';
import type { DeclaredWindow } from '../../../src/configuration/document/document';
import { type Fields, quoted } from './fields';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const BOUNDS = { min: MIN_DURATION_SECONDS, max: MAX_DURATION_SECONDS };

type Recurrence = Pick<DeclaredWindow, 'cron' | 'timezone' | 'duration' | 'mute' | 'exclude_from_uptime' | 'public'>;

/** Returns when a Gatus maintenance window is active, or why it never is. In Gatus, maintenance only mutes alerts. */
export function readMaintenance(fields: Fields): { recurrence: Recurrence } | { refused: string } {
  const isEnabled = fields.flag('enabled') ?? true;
  const start = /^(\d\d?):(\d\d)$/.exec(fields.text('start') ?? '');
  const timezone = (fields.text('timezone') ?? '') || 'UTC';
  const days = fields.list('every');
  const duration = fields.seconds('duration', BOUNDS);
  fields.noteRest();
  if (!isEnabled) return { refused: 'it is not enabled' };
  const [hour, minute] = [Number(start?.[1]), Number(start?.[2])];
  if (!(hour < 24 && minute < 60))
    return { refused: `its start ${quoted(fields.raw('start'))} is not a time such as 23:00` };
  if (duration === null) return { refused: 'it has no duration' };
  if (!isTimeZone(timezone)) return { refused: `its timezone ${quoted(timezone)} is not a name of the IANA database` };
  const numbers = days.map((day) => DAYS.indexOf(String(day)));
  if (numbers.includes(-1)) return { refused: `${quoted(days)} in every is not a list of days such as Monday` };
  const on = [...new Set(numbers)].sort((a, b) => a - b);
  const longest = longestSeconds(on, timezone);
  if (duration > longest)
    fields.note('duration', `is reduced to ${longest} s, because a window must end before it starts again`);
  const names = on.map((day) => (DAYS[day] ?? '').slice(0, 3).toUpperCase());
  return {
    recurrence: {
      cron: `${minute} ${hour} * * ${names.join(',') || '*'}`,
      timezone,
      duration: Math.min(duration, longest),
      mute: true,
      exclude_from_uptime: false,
      public: false,
    },
  };
}

/**
 * Returns a duration that is less than the shortest gap between two starts. A day may have 23 hours when clocks change.
 */
function longestSeconds(days: readonly number[], timezone: string): number {
  const gaps = days.map((day, i) => ((days[i + 1] ?? (days[0] ?? 0) + 7) - day) * DAY_MS);
  const pause = Math.min(...(days.length === 0 ? [DAY_MS] : gaps));
  return (pause - (timezone === 'UTC' ? 0 : HOUR_MS) - MINUTE_MS) / SECOND_MS;
}
