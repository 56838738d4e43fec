import { wallAt } from '../../../src/platform/time/time-zone';

// A report by brute force: minute for minute, from single checks. It shares no code with the service, except the wall
// clock of a time zone.

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface RawCheck {
  at: number;
  outcome: 'up' | 'down' | 'unknown';
  planned: boolean;
}

export interface Span {
  from: number;
  to: number;
}

/** The life of one endpoint. All times are whole minutes. */
export interface Life {
  madeMs: number;
  intervalMinutes: number;
  windows: Span[];
  pauses: Span[];
  /** In order. */
  checks: RawCheck[];
}

/** Returns the same numbers on every run, so that a failure can be repeated. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const isIn = (spans: readonly Span[], at: number): boolean => spans.some(({ from, to }) => from <= at && at < to);

/** Invents checks in a range with long and short outages, unknown results, pauses, and maintenance. */
export function inventLife(range: Span, intervalMinutes: number, seed: number): Life {
  const random = randomNumbers(seed);
  const spans = (count: number, most: number): Span[] =>
    Array.from({ length: count }, () => {
      const from = range.from + Math.floor((random() * (range.to - range.from)) / MINUTE) * MINUTE;
      return { from, to: from + Math.ceil(random() * most) * MINUTE };
    });
  const madeMs = random() < 0.4 ? range.from + Math.floor(random() * 10) * DAY + 37 * MINUTE : range.from - DAY;
  const [windows, pauses] = [spans(4, 400), spans(3, 3 * 24 * 60)];
  const checks: RawCheck[] = [];
  let mood: RawCheck['outcome'] = 'up';
  const step = intervalMinutes * MINUTE;
  for (let at = Math.ceil(madeMs / step) * step + MINUTE; at < range.to; at += step) {
    if (random() < 0.02) mood = random() < 0.6 ? 'down' : 'unknown';
    else if (mood !== 'up' && random() < 0.3) mood = 'up';
    if (isIn(pauses, at)) continue;
    checks.push({ at, outcome: random() < 0.01 ? 'unknown' : mood, planned: isIn(windows, at) });
  }
  return { madeMs, intervalMinutes, windows, pauses, checks };
}

/** Returns the unplanned outages, as the service stores them. The last one may still be open. */
export function outagesOf({ checks, pauses }: Life): { from: number; to: number | null }[] {
  const events = [
    ...checks.map(({ at, outcome, planned }) => ({ at, kind: planned ? 'end' : outcome })),
    ...pauses.map(({ from }) => ({ at: from, kind: 'end' })),
  ].sort((a, b) => a.at - b.at);
  const outages: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | null = null;
  for (const { at, kind } of events) {
    if (kind === 'down' && !open) outages.push((open = { from: at, to: null }));
    else if ((kind === 'up' || kind === 'end') && open) {
      open.to = at;
      open = null;
    }
  }
  return outages.filter(({ from, to }) => to === null || to > from);
}

export interface NaiveDay {
  date: string;
  counted: number;
  down: number;
  planned: number;
}

/** Returns the seconds of each day of a month, by looking at every minute of it. */
export function naiveDays(life: Life, month: string, timeZone: string, period: Span): Map<string, NaiveDay> {
  const end = period.to + DAY;
  const downAt = new Set<number>();
  for (const { from, to } of outagesOf(life))
    for (let at = from; at < (to ?? end); at += MINUTE) if (!isIn(life.windows, at)) downAt.add(at);
  const shareAt = naiveShares(life, period);
  const days = new Map<string, NaiveDay>();
  // The time that is free of maintenance, and the downtime, of each quarter of an hour. The service looks at hours unless
  // the time zone makes days start within them, which comes to the same unless an hour has both.
  const slots = new Map<string, { date: string; free: number; down: number; share: number }>();
  const start = Date.parse(`${month}-01T00:00:00Z`) - DAY;
  const hourly = isHourly(month, timeZone);
  let date = '';
  for (let at = start; at < start + 34 * DAY; at += MINUTE) {
    if (at % (15 * MINUTE) === 0) date = new Date(wallAt(timeZone, at)).toISOString().slice(0, 10);
    if (!date.startsWith(month)) continue;
    const day = days.get(date) ?? { date, counted: 0, down: 0, planned: 0 };
    days.set(date, day);
    const length = hourly ? HOUR : 15 * MINUTE;
    const key = `${date} ${Math.floor(at / length)}`;
    const slot = slots.get(key) ?? { date, free: 0, down: 0, share: shareAt(at) };
    slots.set(key, slot);
    const planned = at >= life.madeMs && isIn(life.windows, at);
    if (planned) day.planned += 60;
    if (downAt.has(at)) slot.down += 60;
    if (at >= life.madeMs && !planned) slot.free += 60;
  }
  for (const { date, free, down, share } of slots.values()) {
    const day = days.get(date);
    if (!day) continue;
    day.down += down;
    day.counted += Math.max(free * share, down);
  }
  return days;
}

/** Whether all days of the month start at a full hour of UTC. */
function isHourly(month: string, timeZone: string): boolean {
  const start = Date.parse(`${month}-01T00:00:00Z`) - DAY;
  for (let at = start; at < start + 35 * DAY; at += 15 * MINUTE)
    if (at % HOUR !== 0 && wallAt(timeZone, at) % DAY === 0) return false;
  return true;
}

/** Returns the monitored share at a moment, from the checks of its hour, of its day in UTC, or of all. */
function naiveShares({ checks, intervalMinutes }: Life, { from, to }: Span): (at: number) => number {
  const length = intervalMinutes <= 30 ? HOUR : intervalMinutes <= 720 ? DAY : Infinity;
  const slotOf = (at: number) => (length === Infinity ? 0 : Math.floor(at / length));
  const counts = new Map<number, { known: number; unknown: number; planned: number }>();
  for (const { at, outcome, planned } of checks) {
    if (Math.floor(at / HOUR) * HOUR >= to || Math.floor(at / HOUR) * HOUR + HOUR <= from) continue;
    const count = counts.get(slotOf(at)) ?? { known: 0, unknown: 0, planned: 0 };
    counts.set(slotOf(at), count);
    if (planned) count.planned++;
    else if (outcome === 'unknown') count.unknown++;
    else count.known++;
  }
  return (at) => {
    const count = counts.get(slotOf(at));
    if (!count) return 0;
    return count.known + count.unknown === 0 ? 1 : count.known / (count.known + count.unknown);
  };
}

/** Returns the checks of each hour in UTC, as the service stores them. */
export function hoursOf({
  checks,
}: Life): { at: number; up: number; down: number; unknown: number; planned: number }[] {
  const hours = new Map<number, { at: number; up: number; down: number; unknown: number; planned: number }>();
  for (const { at, outcome, planned } of checks) {
    const start = Math.floor(at / HOUR) * HOUR;
    const hour = hours.get(start) ?? { at: start, up: 0, down: 0, unknown: 0, planned: 0 };
    hours.set(start, hour);
    hour[planned ? 'planned' : outcome]++;
  }
  return [...hours.values()];
}
