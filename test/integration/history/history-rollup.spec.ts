/**
 * @lane slow
 * @databases both
 */
import type { Outcome } from '../../../src/checker/checker';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { latencyOf, type CheckStats } from '../../../src/history/check-stats';
import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Returns the same numbers on every run, so that a failure can be repeated. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

// The three days end in the middle of an hour two hours ago, so that database time closes only hours that the test
// closes.
const NOW = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR + 34 * 60_000;
const FROM = NOW - 3 * DAY - 17 * 60_000;
const WARNING = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends in 10 days.' } as const;

const NO_PHASES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };

function randomChecks(endpoints: readonly { id: string; key: string }[], seed: number): FinishedCheck[] {
  const random = randomNumbers(seed);
  const checks: FinishedCheck[] = [];
  for (const endpoint of endpoints) {
    for (let at = FROM + random() * 600_000; at < NOW; at += 200_000 + random() * 1_200_000) {
      const dice = random();
      const outcome: Outcome = dice < 0.85 ? 'up' : dice < 0.95 ? 'down' : 'unknown';
      const warning = outcome === 'up' && random() < 0.1 ? WARNING : null;
      const check = recorded(endpoint, new Date(Math.floor(at)), outcome, 0.05 + 5000 * random() ** 4, { warning });
      // Some checks have no duration, as for jobs without a start ping. For half a day, there are only such checks.
      const isTimed = random() < 0.9 && (at < FROM + DAY || at > FROM + 1.5 * DAY);
      const result = isTimed ? check.result : { ...check.result, durationMs: null, phases: NO_PHASES };
      checks.push({ ...check, result, planned: random() < 0.15 });
    }
  }
  return checks;
}

function expectedStats(checks: readonly FinishedCheck[], key: string, from: number, to: number) {
  const inside = checks.filter(({ endpointKey, checkedAt }) => {
    const at = checkedAt.getTime();
    return endpointKey === key && at >= from && at < to;
  });
  const counted = inside.filter(({ planned }) => !planned);
  const count = (outcome: Outcome) => counted.filter(({ result }) => result.outcome === outcome).length;
  const latencies = counted
    .flatMap(({ result: { outcome, durationMs } }) =>
      outcome === 'up' && durationMs !== null ? [Math.round(durationMs * 1000)] : [],
    )
    .sort((a, b) => a - b);
  const rank = (q: number) => (latencies[Math.max(Math.ceil(q * latencies.length), 1) - 1] ?? NaN) / 1000;
  return {
    up: count('up'),
    down: count('down'),
    unknown: count('unknown'),
    planned: inside.length - counted.length,
    timed: latencies.length,
    degraded: counted.filter(({ result }) => result.warning !== null).length,
    sumUs: latencies.reduce((sum, us) => sum + us, 0),
    minUs: latencies[0] ?? 0,
    maxUs: latencies.at(-1) ?? 0,
    p50: rank(0.5),
    p95: rank(0.95),
    p99: rank(0.99),
  };
}

function expectSame(stats: CheckStats, expected: ReturnType<typeof expectedStats>): void {
  const { up, down, unknown, planned, degraded, sumUs, minUs, maxUs } = stats;
  expect({ up, down, unknown, planned, degraded, sumUs, minUs, maxUs }).toEqual({
    up: expected.up,
    down: expected.down,
    unknown: expected.unknown,
    planned: expected.planned,
    degraded: expected.degraded,
    sumUs: expected.sumUs,
    minUs: expected.minUs,
    maxUs: expected.maxUs,
  });
  const latency = latencyOf(stats);
  if (expected.timed === 0) {
    expect(latency).toBeNull();
    return;
  }
  for (const name of ['p50', 'p95', 'p99'] as const) {
    // Half a bucket, plus half of the microsecond to which values are rounded.
    expect(Math.abs((latency?.[name] ?? NaN) / expected[name] - 1)).toBeLessThan(0.0445 + 0.0005 / expected[name]);
  }
}

describe('hourly and daily stats', () => {
  let bench: HistoryBench;
  let endpoints: { id: string; key: string }[];
  let checks: FinishedCheck[];

  beforeAll(async () => {
    bench = await HistoryBench.open(new Date(NOW));
    endpoints = await bench.addEndpoints(5);
    checks = randomChecks(endpoints, 42);
    for (let index = 0; index < checks.length; index += 400) await bench.write(checks.slice(index, index + 400));
    await bench.restartRollupsAt(new Date(Math.floor(FROM / HOUR) * HOUR));
    await bench.rollup.run();
  });
  afterAll(() => bench.close());

  const progress = async (): Promise<Record<string, Date>> => {
    const rows = await bench.database.query<{ name: string; done_until: Date }>(
      'SELECT name, done_until FROM history_progress',
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.done_until]));
  };

  const ranges = (): [number, number][] => {
    const random = randomNumbers(7);
    const anywhere = () => Math.floor(FROM + random() * (NOW - FROM));
    const pairs = Array.from({ length: 25 }, (): [number, number] => {
      const [a, b] = [anywhere(), anywhere()];
      return [Math.min(a, b), Math.max(a, b)];
    });
    return [[FROM, NOW], [Math.floor(NOW / HOUR) * HOUR - DAY, NOW], [NOW, NOW], ...pairs];
  };

  const expectExact = async (): Promise<void> => {
    for (const { key } of endpoints) {
      for (const [from, to] of ranges()) {
        expectSame((await bench.stats.total(key, from, to)).stats, expectedStats(checks, key, from, to));
      }
    }
  };

  it('builds stats up to the newest full hour and the newest full day', async () => {
    const { hour, day } = await progress();
    expect(hour).toEqual(new Date(Math.floor(NOW / HOUR) * HOUR));
    expect(day).toEqual(new Date(Math.floor(NOW / DAY) * DAY));
  });

  it('agrees with the single checks over any range', expectExact);

  it.each([
    [300, 6 * HOUR],
    [3600, 2 * DAY],
    [6 * 3600, 3 * DAY],
    [86_400, 3 * DAY],
  ])('agrees with the single checks in buckets of %i s', async (stepSeconds, length) => {
    const stepMs = stepSeconds * 1000;
    const to = Math.ceil(NOW / stepMs) * stepMs;
    const from = to - length;
    for (const { key } of endpoints) {
      const buckets = new Map((await bench.stats.series(key, from, to, stepMs)).map((b) => [b.start, b.stats]));
      for (let start = from; start < to; start += stepMs) {
        const expected = expectedStats(checks, key, start, start + stepMs);
        const stats = buckets.get(start);
        if (stats) expectSame(stats, expected);
        else expect([expected.up, expected.down, expected.unknown, expected.planned]).toEqual([0, 0, 0, 0]);
      }
    }
  });

  it('builds the same stats when they are built again', async () => {
    const read = () =>
      Promise.all(
        ['check_hour', 'check_day', 'endpoint_summary'].map((table) =>
          bench.database.query(`SELECT * FROM ${table} ORDER BY 1, 2`),
        ),
      );
    const before = await read();
    await bench.restartRollupsAt(new Date(Math.floor(FROM / HOUR) * HOUR));
    await bench.rollup.run();
    expect(await read()).toEqual(before);
  });

  it('corrects the stats of an hour and a day for a check, planned or not, that is recorded after these were closed', async () => {
    const [endpoint] = endpoints;
    if (!endpoint) throw new Error('no endpoint');
    const late = [
      recorded(endpoint, new Date(NOW - 2 * DAY + 1), 'down', 1),
      recorded(endpoint, new Date(NOW - 2 * DAY + 2), 'up', 7_000),
      recorded(endpoint, new Date(NOW - 3 * HOUR), 'up', 0.2),
      { ...recorded(endpoint, new Date(NOW - 2 * DAY + 3), 'down', 1), planned: true },
      { ...recorded(endpoint, new Date(NOW - 3 * HOUR + 1), 'up', 9_000), planned: true },
    ];
    await bench.write(late);
    checks.push(...late);
    await bench.rollup.run();
    await expectExact();
    expect(await bench.database.query('SELECT * FROM history_late')).toEqual([]);
  });

  it('loses no check that is recorded while two processes build the stats at once', async () => {
    const random = randomNumbers(99);
    const anywhen = () => new Date(Math.floor(FROM + random() * (NOW - FROM)));
    const batches = Array.from({ length: 40 }, () =>
      endpoints.map((endpoint) => recorded(endpoint, anywhen(), random() < 0.7 ? 'up' : 'down', 1 + 100 * random())),
    );
    await bench.restartRollupsAt(new Date(Math.floor((NOW - DAY) / HOUR) * HOUR));
    const recorder = { isWriting: true };
    const build = async (): Promise<void> => {
      while (recorder.isWriting) await bench.rollup.run();
    };
    const builders = [build(), build()];
    for (const batch of batches) await bench.write(batch);
    recorder.isWriting = false;
    await Promise.all(builders);
    checks.push(...batches.flat());
    await bench.rollup.run();
    await expectExact();
  });

  it('closes an hour two minutes after its end, not before', async () => {
    const hour = (await progress())['hour'] ?? new Date(0);
    bench.clock.at = new Date(hour.getTime() + HOUR + 119_000);
    await bench.rollup.run();
    expect((await progress())['hour']).toEqual(hour);
    // Needed for the p95 below, because it may be up to eight hours old for an endpoint with few checks an hour.
    await bench.database.query('UPDATE endpoint_summary SET is_stale = true');
    bench.clock.at = new Date(hour.getTime() + HOUR + 120_000);
    await bench.rollup.run();
    expect((await progress())['hour']).toEqual(new Date(hour.getTime() + HOUR));
    await expectExact();
  });

  it('writes summaries of every endpoint that agree with the single checks', async () => {
    const until = (await progress())['hour']?.getTime() ?? 0;
    const today = Math.floor(until / DAY) * DAY;
    for (const { key } of endpoints) {
      const [summary] = await bench.database.query<Record<string, number>>(
        'SELECT * FROM endpoint_summary WHERE endpoint_key = $1',
        [key],
      );
      const day = expectedStats(checks, key, until - DAY, until);
      const week = expectedStats(checks, key, today - 7 * DAY, until);
      expect(summary).toMatchObject({
        until: new Date(until),
        up_24h: day.up,
        down_24h: day.down,
        unknown_24h: day.unknown,
        up_7d: week.up,
        down_7d: week.down,
        up_30d: week.up,
        down_30d: week.down,
        up_90d: week.up,
        down_90d: week.down,
      });
      expect(Math.abs((summary?.['p95_24h_us'] ?? NaN) / 1000 / day.p95 - 1)).toBeLessThan(0.0445);
    }
  });
});
