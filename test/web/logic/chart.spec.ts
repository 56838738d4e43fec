import type { LatencyBucket } from '../../../web/src/api/types';
import { beatPaths, HEIGHT, linePath, STEP } from '../../../web/src/logic/beat-shapes';
import { bandsOf } from '../../../web/src/logic/chart-bands';
import { lineStyle, locationData, phaseData, responseData, runsOf, WEEK_MS } from '../../../web/src/logic/chart-data';
import { BUCKETS, rangeOf, stepFor } from '../../../web/src/logic/time-range';
import { latencyBucket } from './latency-bucket';

const bucket = (start: string, more: Partial<LatencyBucket> = {}) => latencyBucket(start, { count: 1, ...more });

describe('the phase chart', () => {
  it('stacks each phase of the chart on the ones before it, up to the end of the last bucket', () => {
    const phases = { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: 4, transfer_ms: 8 };
    const data = phaseData(
      [bucket('2026-11-20T10:00:00.000Z', { avg: 15, phases }), bucket('2026-11-20T10:01:00.000Z', { failures: 1 })],
      60,
    );
    const start = Date.parse('2026-11-20T10:00:00.000Z') / 1000;
    expect(data.times).toEqual([start, start + 60, start + 120]);
    expect(data.stacked).toEqual([
      [1, 0, 0],
      [3, 0, 0],
      [3, 0, 0],
      [7, 0, 0],
      [15, 0, 0],
    ]);
    expect(data.failures).toEqual([0, 1]);
  });

  it('shows only the mean if there are no phases, and nothing without buckets', () => {
    expect(phaseData([bucket('2026-11-20T10:00:00.000Z', { avg: 7 })], 60).stacked.map(([first]) => first)).toEqual([
      0, 0, 0, 0, 7,
    ]);
    expect(phaseData([], 60)).toEqual({ times: [], stacked: [[], [], [], [], []], failures: [] });
  });
});

describe('the chart by location', () => {
  const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`;
  const start = Date.parse(at(0)) / 1000;
  const of = [
    { location: 'fra', buckets: [bucket(at(0), { p95: 80 }), bucket(at(1), { p95: 90 })] },
    { location: 'us', buckets: [bucket(at(0), { failures: 1 }), bucket(at(1), { p95: 200, failures: 1 })] },
  ];

  it('has a line of p95 for each, with a gap if no check was successful, and the failures of all', () => {
    expect(locationData(of, [], 60)).toEqual({
      times: [start, start + 60, start + 120],
      failures: [1, 1],
      lines: [
        { location: 'fra', style: lineStyle(0), p95: [80, 90] },
        { location: 'us', style: lineStyle(1), p95: [null, 200] },
      ],
    });
  });

  it('keeps the style of a line while another one is switched off', () => {
    expect(locationData(of, ['fra'], 60)).toMatchObject({
      failures: [1, 1],
      lines: [{ location: 'us', style: lineStyle(1) }],
    });
    expect(locationData(of, ['us'], 60).failures).toEqual([0, 0]);
  });

  it('distinguishes ten lines', () => {
    const styles = Array.from({ length: 10 }, (_, index) => JSON.stringify(lineStyle(index)));
    expect(new Set(styles).size).toBe(10);
  });
});

describe('the chart of the response time', () => {
  it('has p50 and p95 next to the p50 of a week before, and a gap if no check was successful', () => {
    const data = responseData(
      [
        bucket('2026-11-20T10:00:00.000Z', { p50: 80, p95: 120 }),
        bucket('2026-11-20T10:01:00.000Z', { failures: 1 }),
        bucket('2026-11-20T10:02:00.000Z', { p50: 90, p95: 95 }),
      ],
      [bucket('2026-11-13T10:01:00.000Z', { p50: 70 }), bucket('2026-11-13T10:02:00.000Z')],
      60,
    );
    const start = Date.parse('2026-11-20T10:00:00.000Z') / 1000;
    expect(data).toEqual({
      times: [start, start + 60, start + 120, start + 180],
      failures: [0, 1, 0],
      p50: [80, null, 90],
      p95: [120, null, 95],
      before: [null, 70, null],
    });
  });

  it.each([
    [[], []],
    [[null, null], []],
    [
      [1, 2, null, 3],
      [
        [0, 1],
        [3, 3],
      ],
    ],
    [[null, 0, null], [[1, 1]]],
  ])('draws %j as the lines %j', (values, runs) => expect(runsOf(values)).toEqual(runs));
});

describe('the bands of maintenance in a chart', () => {
  const at = (minute: number) => new Date(minute * 60_000).toISOString();

  it('joins occurrences and planned outages that overlap, oldest first, and leaves other outages out', () => {
    const bands = bandsOf(
      [
        { starts_at: at(60), ends_at: at(90) },
        { starts_at: at(0), ends_at: at(20) },
        { starts_at: at(10), ends_at: at(30) },
      ],
      [
        { started_at: at(25), ended_at: at(40), planned: true },
        { started_at: at(45), ended_at: at(50), planned: false },
        { started_at: at(200), ended_at: null, planned: true },
      ],
      240 * 60_000,
    );
    expect(bands.map(({ from, to }) => [from / 60, to / 60])).toEqual([
      [0, 40],
      [60, 90],
      [200, 240],
    ]);
  });
});

describe('the range of the chart', () => {
  const now = Date.parse('2026-11-20T10:00:30.000Z');
  const old = now - 30 * 86_400_000;
  const of = (query: string, since = old, interval = 60) =>
    rangeOf(new URLSearchParams(query), now, since, interval, BUCKETS.bars);

  it.each([
    ['range=1h', 3600, 60, '1h'],
    ['range=24h', 86_400, 300, '24h'],
    ['range=7d', 604_800, 3600, '7d'],
    ['range=30d', 2_592_000, 14_400, '30d'],
    ['', 86_400, 300, '24h'],
    ['range=nonsense', 86_400, 300, '24h'],
  ])('reads the chart range of the query %p', (query, seconds, step, name) => {
    const range = of(query);
    expect([(range.to - range.from) / 1000, range.step, range.name]).toEqual([seconds, step, name]);
    expect(range.to).toBeGreaterThanOrEqual(now);
    expect(range.to % (step * 1000)).toBe(0);
  });

  it.each([
    ['1h', 60],
    ['24h', 900],
    ['7d', 7200],
    ['30d', 21_600],
  ])('has fewer buckets of percentiles in %s, and so does the week before', (name, step) => {
    const query = new URLSearchParams({ range: name });
    expect(rangeOf(query, now, old, 60, BUCKETS.percentiles).step).toBe(step);
    expect(WEEK_MS % (step * 1000)).toBe(0);
  });

  it('shows one hour by default for an endpoint in its first two hours', () =>
    expect(of('', now - 60_000).name).toBe('1h'));

  it('accepts a zoomed range from the URL, but none too short to draw and none in the future', () => {
    const to = Math.floor(now / 1000);
    expect(of(`from=${to - 600}&to=${to}`)).toEqual({ from: (to - 600) * 1000, to: to * 1000, step: 60, name: null });
    expect(of(`from=${to - 5}&to=${to}`).from).toBe((to - 120) * 1000);
    expect(of(`from=${to}&to=${to + 9999}`).name).toBe('24h');
  });

  it('never makes chart buckets shorter than the check interval', () =>
    expect(stepFor(3600, 240, BUCKETS.bars)).toBe(300));
});

describe('bars and lines', () => {
  it('draws outcomes with different heights and fillings', () => {
    const paths = beatPaths(
      [
        { outcome: 'up', level: null },
        { outcome: 'down', level: null },
        { outcome: 'unknown', level: null },
      ],
      4,
    );
    expect(paths.none).toBe(`M1 ${HEIGHT - 3}h4v3h-4z`);
    expect(paths.down).toBe(`M${2 * STEP + 1} 0h4v${HEIGHT}h-4z`);
    expect(paths.up).not.toContain(` 0h4v${HEIGHT}h-4z`);
    expect(paths.unknown.startsWith(`M${3 * STEP + 1.6}`)).toBe(true);
  });

  it('draws degraded with a gap below its top, and maintenance striped, so that each differs in shape', () => {
    const paths = beatPaths(
      [
        { outcome: 'degraded', level: null },
        { outcome: 'down', planned: true, level: null },
        { outcome: 'up', planned: true, level: 1 },
      ],
      3,
    );
    expect(paths.degraded.match(/M/g)).toHaveLength(2);
    expect(paths.planned.match(/M/g)?.length).toBeGreaterThan(6);
    expect([paths.up, paths.down, paths.unknown, paths.none]).toEqual(['', '', '', '']);
  });

  it('draws a sparkline with gaps, and none through a single value', () => {
    expect(linePath([1, 2, null, 1], 32, 12)).toBe('M1.0 10.0L11.0 2.0M31.0 10.0');
    expect(linePath([1], 32, 12)).toBe('');
    expect(linePath([null, null], 32, 12)).toBe('');
  });
});
