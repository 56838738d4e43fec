import { HOUR_MS, MINUTE_MS } from '../../platform/time/time-units';
import { type DownHalfHoursRow, firstHalfHourAt, HALF_HOURS, halfHours } from './half-hours';

const NOW = Date.UTC(2026, 10, 20, 12, 10);
const fromMs = firstHalfHourAt(NOW);
const context = { fromMs, madeMs: 0, newestMs: NOW, isSparse: false };
/** Every hour, from the one with the first half hour. */
const ALWAYS = { told: 2 ** 25 - 1, degraded: 0, planned: 0, unknown: 0 };

const down = (...parts: [step: number, seconds: number, planned?: boolean][]): Omit<DownHalfHoursRow, 'key'> => ({
  steps: parts.map(([step]) => step),
  seconds: parts.map(([, seconds]) => seconds),
  planned: parts.map(([, , planned]) => planned === true),
});
const up = (n: number): string => 'u'.repeat(n);

describe('the last 48 half hours of an endpoint', () => {
  it('end with the half hour that contains the current time', () => {
    expect(fromMs + HALF_HOURS * 30 * MINUTE_MS).toBe(Date.UTC(2026, 10, 20, 12, 30));
  });

  it.each<[string, string, string]>([
    ['are up without an outage', up(48), halfHours(ALWAYS, undefined, context)],
    ['are down from three minutes of an outage', `${up(46)}pd`, halfHours(ALWAYS, down([46, 179], [47, 180]), context)],
    ['mark an outage during maintenance', `m${up(47)}`, halfHours(ALWAYS, down([0, 900, true]), context)],
    [
      'show the real one of two outages in the same half hour',
      `d${up(47)}`,
      halfHours(ALWAYS, down([0, 900], [0, 900, true]), context),
    ],
    ['show failed warnings, by the hour', `www${up(45)}`, halfHours({ ...ALWAYS, degraded: 0b11 }, undefined, context)],
    [
      'were not checked before the endpoint existed',
      `${'-'.repeat(46)}uu`,
      halfHours(ALWAYS, undefined, { ...context, madeMs: NOW - 40 * MINUTE_MS }),
    ],
    [
      'tell an unknown result from none, by the hour',
      `${'n'.repeat(1)}${'m'.repeat(2)}${'-'.repeat(44)}u`,
      halfHours({ told: 0, degraded: 0, planned: 0b10, unknown: 0b1 }, undefined, context),
    ],
    [
      'show the newest check before its hour is closed',
      `${'-'.repeat(45)}uu-`,
      halfHours(undefined, undefined, { ...context, newestMs: NOW - HOUR_MS }),
    ],
    [
      'stay up between rare checks',
      `${'-'.repeat(5)}${up(43)}`,
      halfHours({ told: 0b1000, degraded: 0, planned: 0, unknown: 0 }, undefined, {
        ...context,
        newestMs: null,
        isSparse: true,
      }),
    ],
  ])('%s', (_, expected, found) => {
    expect(found).toBe(expected);
  });
});
