import { coverageOf, latencyOf, mergeStats, phaseMeanOf, type CheckStats, uptimeOf } from './check-stats';

const stats = (change: Partial<CheckStats>): CheckStats => ({
  up: 0,
  down: 0,
  unknown: 0,
  planned: 0,
  degraded: 0,
  sumUs: 0,
  phaseSumsUs: { dns: 0, connect: 0, tls: 0, first_byte: 0, transfer: 0 },
  minUs: 0,
  maxUs: 0,
  histogram: { buckets: [], counts: [] },
  ...change,
});

const FAST = stats({ up: 2, sumUs: 3000, minUs: 1000, maxUs: 2000, histogram: { buckets: [26, 34], counts: [1, 1] } });
const SLOW = stats({
  up: 1,
  down: 1,
  sumUs: 9000,
  minUs: 9000,
  maxUs: 9000,
  histogram: { buckets: [51], counts: [1] },
});
const FAILED = stats({ down: 3, unknown: 1 });

describe('the stats of checks', () => {
  it('are merged from several time slices into their sum', () => {
    expect(mergeStats([FAST, SLOW, FAILED])).toEqual(
      stats({
        up: 3,
        down: 4,
        unknown: 1,
        sumUs: 12_000,
        minUs: 1000,
        maxUs: 9000,
        histogram: { buckets: [26, 34, 51], counts: [1, 1, 1] },
      }),
    );
  });

  it('have no minimum latency if no merged slice has an up check', () => {
    expect(mergeStats([FAILED, FAILED])).toMatchObject({ minUs: 0, maxUs: 0, down: 6 });
    expect(mergeStats([])).toEqual(stats({}));
  });

  it.each([
    [{ up: 3, down: 1, unknown: 4 }, 0.75, 0.5],
    [{ up: 0, down: 2, unknown: 0 }, 0, 1],
    [{ up: 0, down: 0, unknown: 5 }, null, 0],
    [{ up: 0, down: 0, unknown: 0 }, null, null],
  ])('computed from %o have an uptime of %s and a coverage of %s', (counts, uptime, coverage) => {
    expect(uptimeOf(counts)).toBe(uptime);
    expect(coverageOf(counts)).toBe(coverage);
  });

  it('contain the latency of a single up check as every quantile', () => {
    expect(latencyOf(SLOW)).toEqual({ avg: 9, p50: 9, p95: 9, p99: 9, min: 9, max: 9 });
  });

  it('have no latency without an up check, or with only runs of unknown length', () => {
    expect([latencyOf(FAILED), latencyOf(stats({ up: 3 }))]).toEqual([null, null]);
  });

  it('leave runs of unknown length out of latencies', () => {
    const merged = mergeStats([SLOW, stats({ up: 5 })]);
    expect([merged.up, latencyOf(merged)]).toEqual([6, { avg: 9, p50: 9, p95: 9, p99: 9, min: 9, max: 9 }]);
  });

  it('average phases so that they add up to the mean latency, and leave out a phase that no check reached', () => {
    const phases = stats({ ...FAST, phaseSumsUs: { ...FAILED.phaseSumsUs, dns: 1000, connect: 2000 } });
    expect(phaseMeanOf(phases, 'dns')).toBe(0.5);
    expect(phaseMeanOf(phases, 'connect')).toBe(1);
    expect(phaseMeanOf(phases, 'tls')).toBeNull();
    expect(phaseMeanOf(FAILED, 'dns')).toBeNull();
  });
});
