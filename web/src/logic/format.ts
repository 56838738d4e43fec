// Formats numbers and times as text. The functions are pure, so the current time is a parameter.

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;

/**
 * Returns the two largest units, rounded down: `45 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. Messages use the same
 * format.
 */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return two(Math.floor(s / MINUTE), 'min', s % MINUTE, 's');
  if (s < DAY) return two(Math.floor(s / HOUR), 'h', Math.floor((s % HOUR) / MINUTE), 'min');
  return two(Math.floor(s / DAY), 'd', Math.floor((s % DAY) / HOUR), 'h');
}

/** Returns a duration in whole minutes from the first minute on, so that large text doesn't change every second. */
export const steadyDuration = (seconds: number): string =>
  duration(seconds < MINUTE ? seconds : seconds - (seconds % MINUTE));

/** Returns when the next check is due: `in 45 s`, `now`, or `paused`. */
export function nextCheckText(iso: string | null, nowMs: number): string {
  if (iso === null) return 'paused';
  const seconds = (Date.parse(iso) - nowMs) / 1000;
  return seconds < 1 ? 'now' : `in ${duration(seconds)}`;
}

/** Returns a single unit, for narrow columns: `12 s`, `3 min`, `2 h`, `4 d`. */
export function age(iso: string | null, nowMs: number): string {
  if (iso === null) return 'never';
  const s = Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 1000));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)} min`;
  if (s < DAY) return `${Math.floor(s / HOUR)} h`;
  return `${Math.floor(s / DAY)} d`;
}

/** The longest duration that a check can report. If a job ran longer, it is shown with `≥`. */
const LONGEST_MS = 2_147_483;

/** Returns a duration such as `4.2 ms`, `142 ms`, `1.24 s`, `3 min 20 s`, or `≥ 35 min 47 s`. */
export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value >= MINUTE * 1000)
    return `${value >= LONGEST_MS ? '≥ ' : ''}${duration(Math.min(value, LONGEST_MS) / 1000)}`;
  if (value >= 1000) return `${(value / 1000).toFixed(value >= 10_000 ? 1 : 2)} s`;
  return value >= 10 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;
}

/**
 * Formats a share between 0 and 1 as a percentage: `99.98%`, `100%`, or `–` if unknown. Never rounds up to 100, so that
 * a single failure is visible.
 */
export function percent(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return '–';
  if (ratio >= 1) return '100%';
  const digits = ratio >= 0.1 && ratio < 0.99 ? 1 : 2;
  const unit = 10 ** digits;
  return `${(Math.floor(ratio * 100 * unit) / unit).toFixed(digits)}%`;
}

/** Returns the number of whole days until a time, rounded down. Negative if the time has passed. */
export const daysUntil = (iso: string, nowMs: number): number => Math.floor((Date.parse(iso) - nowMs) / (DAY * 1000));

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dated = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dayOnly = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });

/** Formats a time in the browser's time zone. The date is included only if it isn't today. */
export function time(iso: string, nowMs: number): string {
  const at = new Date(iso);
  return new Date(nowMs).toDateString() === at.toDateString() ? clock.format(at) : dated.format(at);
}

/** Returns a time such as `14:20`, in the browser's time zone. */
export const clockTime = (ms: number): string => clock.format(ms).slice(0, -3);

const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** Returns labels for a time axis, `step` seconds apart. Each label is a time, or a date at the start of a day. */
export const timeTicks = (seconds: readonly number[], step: number): string[] =>
  seconds.map((second) => {
    const at = new Date(second * 1000);
    const text = clock.format(at);
    if (step >= DAY || text === '00:00:00') return shortDay.format(at);
    return step < MINUTE ? text : text.slice(0, -3);
  });

/** Returns a date such as `Nov 21, 2026`, in the browser's time zone. */
export const day = (iso: string): string => dayOnly.format(new Date(iso));

/** Converts a code to words: `connection_refused` → `connection refused`. */
export const words = (code: string): string => code.replaceAll('_', ' ');

/** Returns a number with its noun, such as `3 checks` or `1 check`. */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? noun : plural}`;

/** Returns a size in decimal units, such as `12.4 MB`. */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = n < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3));
  return `${(n / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? 'B'}`;
}
