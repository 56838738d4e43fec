/** @lane slow */
import { RollupSteps } from '../../../src/history/rollup/rollup-steps';
import { type Tx, WorkerDatabase } from '../../../src/platform/database/database';
import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR = 3_600_000;
const DONE = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
const ENDPOINTS = 1000;

/** Simulates that the process dies before the transaction commits. */
class DyingDatabase extends WorkerDatabase {
  override transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return super.transaction(async (tx) => {
      await work(tx);
      throw new Error('killed');
    });
  }
}

describe('the closing of an hour with many endpoints', () => {
  let bench: HistoryBench;
  let endpoints: { id: string; key: string }[];
  let whole: unknown[];

  const steps = (database: WorkerDatabase = bench.database) => new RollupSteps(database, bench.clock, bench.config);
  const stored = async () => [
    ...(await bench.database.query('SELECT * FROM check_hour ORDER BY endpoint_key, start_at')),
    ...(await bench.database.query('SELECT * FROM endpoint_summary ORDER BY endpoint_key')),
  ];
  const closed = async () => {
    const [row] = await bench.database.query<{ hour: Date }>(
      `SELECT done_until AS hour FROM history_progress WHERE name = 'hour'`,
    );
    return row?.hour.getTime() === DONE + HOUR;
  };
  const closeBy = async (portion: number): Promise<void> => {
    while (!(await closed())) await steps().closeHour(portion);
  };

  beforeAll(async () => {
    bench = await HistoryBench.open(new Date(DONE + HOUR + 120_000));
    endpoints = await bench.addEndpoints(ENDPOINTS);
    for (const minute of [-1, 0, 20, 59, 60]) {
      await bench.write(
        endpoints
          .filter((_, index) => index % 7 !== minute % 7)
          .map((endpoint, index) => {
            const at = new Date(DONE + minute * 60_000 + (index % 60) * 1000);
            return recorded(endpoint, at, index % 5 === 0 ? 'down' : 'up', 1 + (index % 900));
          }),
      );
    }
  });
  afterAll(() => bench.close());

  beforeEach(async () => {
    await bench.database.query('DELETE FROM check_hour');
    await bench.database.query('DELETE FROM endpoint_summary');
    await bench.restartRollupsAt(new Date(DONE));
  });

  it('builds the same in one pass over the whole hour as endpoint by endpoint', async () => {
    await closeBy(ENDPOINTS + 1);
    whole = await stored();
    expect(whole.length).toBeGreaterThan(ENDPOINTS);
    await bench.database.query('DELETE FROM check_hour');
    await bench.database.query('DELETE FROM endpoint_summary');
    await bench.restartRollupsAt(new Date(DONE));
    await closeBy(150);
    expect(await stored()).toEqual(whole);
  });

  it.each([400, ENDPOINTS])(
    'continues where a process that was killed in a step of %i endpoints had stopped',
    async (portion) => {
      await steps().closeHour(300);
      const before = await stored();
      await expect(steps(new DyingDatabase(bench.database.dataSource)).closeHour(portion)).rejects.toThrow('killed');
      expect(await stored()).toEqual(before);
      expect(await closed()).toBe(false);
      await closeBy(portion);
      expect(await stored()).toEqual(whole);
    },
  );

  it('builds nothing for an endpoint that was deleted in the meantime', async () => {
    const [deleted] = endpoints.slice(-1);
    await bench.database.query('DELETE FROM endpoint WHERE key = $1', [deleted?.key]);
    await closeBy(2 * ENDPOINTS);
    const rows = await bench.database.query('SELECT FROM check_hour WHERE endpoint_key = $1', [deleted?.key]);
    expect(rows).toEqual([]);
  });
});

describe('a run of the rollups', () => {
  it('spends a bounded time on new endpoints and leaves the others for the next minutes', async () => {
    const bench = await HistoryBench.open(new Date(DONE + HOUR));
    try {
      await bench.addEndpoints(400);
      await bench.database.query(`UPDATE endpoint SET created_at = now() - interval '2 minutes'`);
      await bench.restartRollupsAt(new Date(DONE + HOUR));
      let elapsed = 0;
      // Every reading of the clock is 0.4 s later, so every step takes that long.
      bench.clock.monotonic = () => (elapsed += 400);
      const noted = async () => (await bench.database.query('SELECT FROM history_new')).length;
      await bench.rollup.run();
      const first = await noted();
      expect(first).toBeGreaterThan(0);
      expect(first).toBeLessThan(400);
      for (let run = 0; run < 20 && (await noted()) < 400; run++) await bench.rollup.run();
      expect(await noted()).toBe(400);
    } finally {
      await bench.close();
    }
  });
});
