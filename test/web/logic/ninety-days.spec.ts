import type { LatencyBucket, Outage } from '../../../web/src/api/types';
import {
  BAR,
  dayPath,
  daySentence,
  daysSummary,
  ninetyDays,
  outagesOn,
  type Severity,
  severityOf,
} from '../../../web/src/logic/ninety-days';

const NOW = Date.UTC(2026, 10, 20, 12);
const day = (up: number, down: number, more = {}) => ({
  date: '2026-11-19',
  up,
  down,
  unknown: 0,
  planned: 0,
  ...more,
});
const outage = (started_at: string, ended_at: string | null, more = {}): Outage => ({
  started_at,
  ended_at,
  duration_seconds: 0,
  error: null,
  planned: false,
  ...more,
});
const bucket = (start: string, count: number, failures: number) =>
  ({ start, count, failures, unknown: 0, planned: 0 }) as LatencyBucket;

describe('the last 90 days', () => {
  it.each<[Severity, ReturnType<typeof day>]>([
    ['good', day(10, 0)],
    ['slight', day(99, 1)],
    ['bad', day(98, 2)],
    ['worst', day(89, 11)],
    ['planned', day(0, 0, { planned: 3 })],
    ['unknown', day(0, 0, { unknown: 3 })],
    ['none', day(0, 0)],
  ])('count a day as %s', (severity, of) => {
    expect(severityOf(of)).toBe(severity);
  });

  it('end today, and have a day for each date, also without checks', () => {
    const days = ninetyDays([bucket('2026-11-20T00:00:00.000Z', 480, 1)], NOW);
    expect(days).toHaveLength(90);
    expect([days[0]?.date, days[89]?.date, days[89]?.down]).toEqual(['2026-08-23', '2026-11-20', 1]);
    expect(daysSummary(days)).toBe('1 day with checks, failures on 1');
  });

  it('say how long a day was down, only with the part of an outage that belongs to it', () => {
    const outages = [
      outage('2026-11-18T23:50:00.000Z', '2026-11-19T00:02:00.000Z'),
      outage('2026-11-19T10:00:00.000Z', '2026-11-19T10:01:30.000Z'),
      outage('2026-11-19T12:00:00.000Z', '2026-11-19T13:00:00.000Z', { planned: true }),
      outage('2026-11-20T01:00:00.000Z', null),
    ];
    expect(outagesOn(day(1, 1), outages, NOW)).toHaveLength(2);
    expect(daySentence(day(99, 1), outages, NOW)).toMatch(/: 99\.00%, 1 of 100 checks failed, down for 3 min 30 s$/);
  });

  it('have bars whose shapes differ for each severity', () => {
    const all: Severity[] = ['good', 'slight', 'bad', 'worst', 'planned', 'unknown', 'none'];
    const shapes = all.map((severity) => dayPath([severity], severity));
    expect(new Set(shapes).size).toBe(all.length);
    expect(dayPath(['good', 'worst'], 'worst')).toMatch(new RegExp(`^M${BAR.step + 1} 0`));
  });
});
