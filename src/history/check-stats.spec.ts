import { coverageOf, latencyOf, mergeStats, phaseMeanOf, type CheckStats, uptimeOf } from './check-stats';

const tally = (change: Partial<CheckStats>): CheckStats => ({
  up: 0,
  down: 0,
  unknown: 0,
  sumUs: 0,
  phaseSumsUs: { dns: 0, connect: 0, tls: 0, first_byte: 0, transfer: 0 },
  minUs: 0,
  maxUs: 0,
  histogram: { buckets: [], counts: [] },
  ...change,
});

const FAST = tally({ up: 2, sumUs: 3000, minUs: 1000, maxUs: 2000, histogram: { buckets: [26, 34], counts: [1, 1] } });
const SLOW = tally({
  up: 1,
  down: 1,
  sumUs: 9000,
  minUs: 9000,
  maxUs: 9000,
  histogram: { buckets: [51], counts: [1] },
});
const SILENT = tally({ down: 3, unknown: 1 });

describe('tallies', () => {
  it('add up', () => {
    expect(mergeStats([FAST, SLOW, SILENT])).toEqual(
      tally({
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

  it('of stretches without a good check have no fastest one', () => {
    expect(mergeStats([SILENT, SILENT])).toMatchObject({ minUs: 0, maxUs: 0, down: 6 });
    expect(mergeStats([])).toEqual(tally({}));
  });

  it.each([
    [{ up: 3, down: 1, unknown: 4 }, 0.75, 0.5],
    [{ up: 0, down: 2, unknown: 0 }, 0, 1],
    [{ up: 0, down: 0, unknown: 5 }, null, 0],
    [{ up: 0, down: 0, unknown: 0 }, null, null],
  ])('%o are an uptime of %s with a coverage of %s', (counts, uptime, coverage) => {
    expect(uptimeOf(counts)).toBe(uptime);
    expect(coverageOf(counts)).toBe(coverage);
  });

  it('of one check have its latency as every quantile', () => {
    expect(latencyOf(SLOW)).toEqual({ avg: 9, p50: 9, p95: 9, p99: 9, min: 9, max: 9 });
  });

  it('without a good check have no latency', () => {
    expect(latencyOf(SILENT)).toBeNull();
  });

  it('have phases that stack up to the mean, and none that was never reached', () => {
    const phases = tally({ up: 2, sumUs: 3000, phaseSumsUs: { ...SILENT.phaseSumsUs, dns: 1000, connect: 2000 } });
    expect(phaseMeanOf(phases, 'dns')).toBe(0.5);
    expect(phaseMeanOf(phases, 'connect')).toBe(1);
    expect(phaseMeanOf(phases, 'tls')).toBeNull();
    expect(phaseMeanOf(SILENT, 'dns')).toBeNull();
  });
});
