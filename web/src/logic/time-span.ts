/** Seconds per unit, smallest unit first. */
const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type TimeUnit = keyof typeof UNITS;

/** A duration that is being edited. */
export interface TimeSpan {
  /** A number as a string. Empty means none. */
  amount: string;
  unit: TimeUnit;
}

const isUnit = (name: string): name is TimeUnit => name in UNITS;
const LARGEST_FIRST = Object.keys(UNITS).filter(isUnit).reverse();

/** Converts seconds to the largest unit that divides them. 0 uses `unit`, and `null` (none) is empty, in `unit`. */
export function spanOf(seconds: number | null, unit: TimeUnit): TimeSpan {
  if (seconds === null || seconds === 0) return { amount: seconds === null ? '' : '0', unit };
  const fitting = LARGEST_FIRST.find((each) => seconds % UNITS[each] === 0) ?? 'seconds';
  return { amount: String(seconds / UNITS[fitting]), unit: fitting };
}

/** Returns whole seconds, or `null` if nothing is typed. */
export const secondsOf = ({ amount, unit }: TimeSpan): number | null =>
  amount.trim() === '' ? null : Math.round(Number(amount) * UNITS[unit]);

const SHORT: Record<TimeUnit, (n: number) => string> = {
  seconds: (n) => `${n} s`,
  minutes: (n) => `${n} min`,
  hours: (n) => `${n} h`,
  days: (n) => (n === 1 ? '1 day' : `${n} days`),
};

/** Returns the exact duration, such as `10 min`, `1 h 30 min`, or `2 days`. */
export function spanText(seconds: number): string {
  let rest = seconds;
  const parts = LARGEST_FIRST.flatMap((unit) => {
    const whole = Math.floor(rest / UNITS[unit]);
    rest -= whole * UNITS[unit];
    return whole === 0 ? [] : [SHORT[unit](whole)];
  });
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** Rewrites the server's bounds in seconds: `remind_every must not be less than 300` → `At least 5 min`. */
export const spanProblem = (message: string): string =>
  message.replace(
    /^.*must (?:not be (less|greater) than|be at (least|most)) (\d+)$/,
    (_, than: string | undefined, at: string | undefined, seconds: string) =>
      `At ${at ?? (than === 'less' ? 'least' : 'most')} ${spanText(Number(seconds))}`,
  );
