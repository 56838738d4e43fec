// The texts of an uptime report. Pure, so the browser's clock doesn't matter.

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Returns `October 2026` for `2026-10`. */
export const monthText = (month: string): string => `${MONTHS[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`;

/** Returns the name of a month without its year. */
export const monthName = (month: string): string => MONTHS[Number(month.slice(5)) - 1] ?? '';

/** Returns the month that is `by` months later, as `2026-10`. */
export function monthAfter(month: string, by: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + by;
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
}

/** Returns `0`, `40 s`, `31 min`, or `1 h 25 min`. A negative time has a minus sign. */
export function spanText(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '−' : '';
  if (whole === 0) return '0';
  if (whole < 60) return `${sign}${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${sign}${minutes} min`;
  const rest = minutes % 60;
  return `${sign}${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

/** Returns `99.93%`. Rounds down, so that a month with downtime never shows as 100%. */
export function shareText(ratio: number | null, digits = 2): string {
  if (ratio === null) return 'No data';
  if (ratio === 1) return '100%';
  return `${(Math.floor(ratio * 100 * 10 ** digits) / 10 ** digits).toFixed(digits)}%`;
}

export type DayKind = 'ok' | 'low' | 'some' | 'bad' | 'none' | 'work';

/** Returns the severity of a day, which is the color of its bar. */
export function dayKind(day: { availability: number | null; planned_seconds: number }): DayKind {
  if (day.availability === null) return day.planned_seconds > 0 ? 'work' : 'none';
  if (day.availability === 1) return 'ok';
  return day.availability > 0.99 ? 'low' : day.availability > 0.9 ? 'some' : 'bad';
}

/** The words for a verdict, for one endpoint and for the whole report. */
export const VERDICTS = {
  met: ['Met', 'Target met'],
  missed: ['Missed', 'Target missed'],
  on_track: ['On track', 'On track'],
  no_data: ['No data', 'No data'],
} as const;

/** Returns the query of a report's route, without parameters that are empty. */
export function reportQuery(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== '') query.set(name, value);
  return query.toString();
}

/** Returns `12 Oct, 09:15` by the clock of a time zone. */
export const timeText = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(iso));
