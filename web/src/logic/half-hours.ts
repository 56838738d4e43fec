import type { Beat } from './beat-shapes';
import { clockTime } from './format';
import type { Shown } from './overview-order';

type Outcome = Beat['outcome'];

/** The meaning of the letters in the overview's `half_hours`. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  u: 'up',
  w: 'degraded',
  p: 'partly',
  d: 'down',
  m: 'planned',
  n: 'unknown',
};

const WORDS: Readonly<Record<NonNullable<Outcome>, string>> = {
  up: 'up',
  degraded: 'up, with a warning',
  partly: 'down for less than 3 minutes',
  down: 'down',
  planned: 'maintenance',
  unknown: 'unknown',
};

const HALF_HOUR_MS = 1_800_000;

/** Returns the bars for the last half hours. The newest one has the endpoint's status while it is down or degraded. */
export function halfHourBeats(letters: string, now: Shown): Beat[] {
  const beats = Array.from(letters, (letter): Beat => ({ outcome: OUTCOMES[letter] ?? null, level: null }));
  const last = beats.at(-1);
  if (last && (now === 'down' || (now === 'degraded' && last.outcome === 'up'))) last.outcome = now;
  return beats;
}

/** Returns text such as `14:00 to 14:30: down`. `ago` counts half hours back from the current one. */
export function halfHourText(outcome: Outcome, ago: number, nowMs: number): string {
  const start = Math.floor(nowMs / HALF_HOUR_MS - ago) * HALF_HOUR_MS;
  const end = ago === 0 ? 'now' : clockTime(start + HALF_HOUR_MS);
  return `${clockTime(start)} to ${end}: ${outcome === null ? 'not checked' : WORDS[outcome]}`;
}
