/** @databases both */
import type { Outcome } from '../../../src/checker/checker';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { CheckStats } from '../../../src/history/check-stats';
import { historyLocation } from '../../../src/history/read/history-location';
import { HistoryBench, recorded } from '../../harness/app/history';
import { collectQueries } from '../../harness/app/query-counter';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of the closed hours. The hours before are closed with the first one. */
const FIRST = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
const [LOCAL, FRA, USE] = [0, 1, 2];
const WARNING = { code: 'assertion_failed', phase: 'assertion', message: 'It is slow.' } as const;

describe('history of an endpoint with several locations', () => {
  let bench: HistoryBench;
  let endpoint: { id: string; key: string };

  beforeAll(async () => {
    bench = await HistoryBench.open(new Date(FIRST + 4 * HOUR));
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    const [added] = await bench.addEndpoints(1);
    if (!added) throw new Error('no endpoint');
    endpoint = added;
    await bench.restartRollupsAt(new Date(FIRST));
  });

  /** Assigns the endpoint to these locations from then on. */
  async function assign(since: number, ...numbers: number[]): Promise<void> {
    await bench.database.query('UPDATE endpoint SET location_count = $2 WHERE key = $1', [
      endpoint.key,
      numbers.length,
    ]);
    await bench.database.query(
      `INSERT INTO endpoint_location (endpoint_id, number, org_id, position, phase_ms, assigned_at)
       SELECT e.id, n, e.org_id, n, 0, $3 FROM endpoint e, unnest($2::int[]) AS n WHERE e.key = $1`,
      [endpoint.key, numbers, new Date(since)],
    );
  }

  /** Returns a check of a location, this many minutes after the start of the first closed hour. */
  const seen = (
    location: number,
    minute: number,
    own: Outcome | 'degraded',
    counted: Outcome | 'degraded' | 'late',
    durationMs = 10,
  ): FinishedCheck => {
    const of = (what: Outcome | 'degraded'): Outcome => (what === 'degraded' ? 'up' : what);
    const change = own === 'degraded' ? { warning: WARNING } : {};
    return {
      ...recorded(endpoint, new Date(FIRST + minute * MINUTE), of(own), durationMs, change),
      location,
      counted: counted === 'late' ? null : { outcome: of(counted), degraded: counted === 'degraded' },
    };
  };

  const total = async (hours = 1): Promise<CheckStats> =>
    (await bench.stats.total(endpoint.key, FIRST, FIRST + hours * HOUR)).stats;
  async function totalOf(number: number, hours = 1): Promise<CheckStats> {
    const assigned = await bench.database.query<{ number: number; assignedMs: number }>(
      `SELECT number, extract(epoch FROM assigned_at)::float8 * 1000 AS "assignedMs" FROM endpoint_location WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    const location = historyLocation(number, assigned);
    if (!location) throw new Error('it is not checked there');
    return (await bench.stats.total(endpoint.key, FIRST, FIRST + hours * HOUR, location)).stats;
  }
  const counts = ({ up, down, unknown, planned, degraded, sumUs, histogram }: CheckStats) => {
    const measured = histogram.counts.reduce((sum, count) => sum + count, 0);
    return { up, down, unknown, planned, degraded, measured, ms: sumUs / 1000 };
  };
  const NONE = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0, measured: 0, ms: 0 };

  const DAY_OF_THREE = () => [
    seen(LOCAL, 1, 'up', 'up', 10),
    // In the same millisecond as another location.
    seen(FRA, 1, 'down', 'degraded'),
    seen(USE, 2, 'degraded', 'degraded', 30),
    seen(LOCAL, 11, 'down', 'down'),
    seen(FRA, 12, 'down', 'down'),
    seen(USE, 13, 'up', 'down', 50),
    seen(FRA, 14, 'up', 'late', 70),
    seen(LOCAL, 21, 'unknown', 'up'),
    { ...seen(FRA, 22, 'up', 'up', 90), planned: true },
  ];

  it("counts by the verdict for the endpoint, and by each location's results, from single checks as from hours", async () => {
    await assign(FIRST, LOCAL, FRA, USE);
    await bench.write(DAY_OF_THREE());
    const expected = [
      // Only locations that saw the endpoint up have a latency, and only while it counts.
      { ...NONE, up: 4, down: 3, planned: 1, degraded: 2, measured: 2, ms: 40 },
      { ...NONE, up: 1, down: 1, unknown: 1, measured: 1, ms: 10 },
      { ...NONE, up: 1, down: 2, planned: 1, measured: 1, ms: 70 },
      { ...NONE, up: 2, degraded: 1, measured: 2, ms: 80 },
    ];
    const read = async () => [await total(), await totalOf(LOCAL), await totalOf(FRA), await totalOf(USE)].map(counts);
    expect(await read()).toEqual(expected);
    await bench.rollup.run();
    expect(
      await bench.database.query('SELECT FROM location_hour WHERE endpoint_key = $1', [endpoint.key]),
    ).toHaveLength(3);
    expect(await read()).toEqual(expected);
  });

  it('builds closed hours of locations again when a result comes late', async () => {
    await assign(FIRST, LOCAL, FRA);
    await bench.write([seen(LOCAL, 1, 'up', 'up'), seen(FRA, 2, 'up', 'up')]);
    await bench.rollup.run();
    await bench.write([seen(FRA, 3, 'down', 'late'), seen(FRA, 4, 'down', 'up')]);
    await bench.rollup.run();
    expect([await total(), await totalOf(LOCAL), await totalOf(FRA)].map(counts)).toMatchObject([
      { up: 3, down: 0, measured: 2 },
      { up: 1, down: 0 },
      { up: 1, down: 2 },
    ]);
  });

  it('assigns the hours with one location to that location', async () => {
    await bench.write([recorded(endpoint, new Date(FIRST + MINUTE), 'down', 10)]);
    await bench.rollup.run();
    await bench.restartRollupsAt(new Date(FIRST + HOUR));
    await assign(FIRST + HOUR, LOCAL, FRA);
    await bench.write([seen(LOCAL, 61, 'up', 'up'), seen(FRA, 62, 'down', 'up')]);
    await bench.rollup.run();
    expect([await total(2), await totalOf(LOCAL, 2), await totalOf(FRA, 2)].map(counts)).toMatchObject([
      { up: 2, down: 1 },
      { up: 1, down: 1 },
      { up: 0, down: 1 },
    ]);
  });

  it('reads and writes nothing about locations if no endpoint has any', async () => {
    for (const table of ['endpoint_location', 'location_hour']) await bench.database.query(`DELETE FROM ${table}`);
    await bench.write([recorded(endpoint, new Date(FIRST + MINUTE), 'up', 10)]);
    const statements = collectQueries(bench.database.dataSource);
    await bench.rollup.run();
    await bench.write([recorded(endpoint, new Date(FIRST + 2 * MINUTE), 'up', 10)]);
    await bench.rollup.run();
    await bench.retention.removeOld();
    expect(
      statements.filter(([sql]) => /\blocation_count\b|INTO location_hour|FROM location_hour WHERE/.test(sql)),
    ).toEqual([]);
    expect((await total()).up).toBe(2);
  });

  it('distinguishes checks of several locations in one millisecond', async () => {
    await assign(FIRST, LOCAL, FRA, USE);
    const [local, fra, use] = [LOCAL, FRA, USE].map((location) => seen(location, 1, 'up', 'up'));
    await bench.write([local, use].flatMap((check) => check ?? []));
    const asked = [local, fra, use].flatMap((check) => check ?? []);
    const missing = await bench.database.transaction((tx) => bench.writer.missing(tx, asked));
    expect(missing.map(({ location }) => location)).toEqual([FRA]);
    expect(new Set(asked.map((check) => bench.writer.checkId(check))).size).toBe(3);
  });

  it('needs no additional byte of a row for the location', async () => {
    const ROWS = 5000;
    await bench.write(
      Array.from({ length: ROWS }, (_, n) => ({ ...seen(n % 3, 1, 'up', 'up'), checkedAt: new Date(FIRST + n * 100) })),
    );
    const COLUMNS =
      'endpoint_key, checked_at, detail_hash, duration_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, status_code, error, outcome';
    const sizeOf = async (columns: string): Promise<number> => {
      await bench.database.query('DROP TABLE IF EXISTS measured');
      await bench.database.query(
        `CREATE TABLE measured AS SELECT ${columns} FROM check_result WHERE endpoint_key = ${endpoint.key}`,
      );
      const [size] = await bench.database.query<{ bytes: number }>(`SELECT pg_relation_size('measured')::int AS bytes`);
      return size?.bytes ?? 0;
    };
    const [before, now] = [await sizeOf(COLUMNS), await sizeOf(`${COLUMNS}, location`)];
    expect([before > ROWS * 80, now]).toEqual([true, before]);
    await bench.database.query('DROP TABLE measured');
  });
});
