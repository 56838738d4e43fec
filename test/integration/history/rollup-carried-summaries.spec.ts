/** @lane slow */
import { SUMMARIZE } from '../../../src/history/rollup/endpoint-summary';
import type { Outcome } from '../../../src/checker/checker';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR = 3_600_000;
const HOURS = 40;
// The time includes two UTC midnights. Database time closes nothing automatically.
const END = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
const FROM = END - HOURS * HOUR;
const UNDO = new Error('undone');

interface Summary {
  endpoint_key: string;
  until: Date;
  p95_24h_us: number;
  [count: string]: unknown;
}

describe('the summaries of endpoints that are checked a few times an hour, carried on from hour to hour', () => {
  let bench: HistoryBench;
  let endpoints: { id: string; key: string }[];

  /** The same numbers on every run. */
  const random = (() => {
    let state = 4711;
    return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
  })();

  /** Endpoints that are always in maintenance. */
  const plannedOnly = new Set([3]);

  /** Returns none to three checks per hour, or thirty for the last endpoint, which gives it a new p95 each hour. */
  const checksOf = (hour: number): FinishedCheck[] =>
    endpoints.flatMap((endpoint, index) =>
      Array.from({ length: index === endpoints.length - 1 ? 30 : Math.floor(4 * random()) }, () => {
        const dice = random();
        const outcome: Outcome = dice < 0.8 ? 'up' : dice < 0.9 ? 'down' : 'unknown';
        const check = recorded(endpoint, new Date(hour + Math.floor(random() * HOUR)), outcome, 1 + 1000 * random());
        return { ...check, planned: random() < 0.2 || plannedOnly.has(index) };
      }),
    );

  const read = (): Promise<Summary[]> => bench.database.query('SELECT * FROM endpoint_summary ORDER BY endpoint_key');

  /** Returns the values computed from hours and days, without the carried ones. */
  const computed = async (until: Date): Promise<Summary[]> => {
    let rows: Summary[] = [];
    await bench.database
      .transaction(async (tx) => {
        await tx.query(SUMMARIZE, [endpoints.map(({ key }) => key), until]);
        rows = await tx.query('SELECT * FROM endpoint_summary ORDER BY endpoint_key');
        throw UNDO;
      })
      .catch((error: unknown) => {
        if (error !== UNDO) throw error;
      });
    return rows;
  };

  /** Returns, for each endpoint, the number of days before `until` with a conclusive or planned check. */
  const watchedDays = async (until: Date): Promise<Map<string, number>> => {
    const rows = await bench.database.query<{ key: string; days: number }>(
      `SELECT endpoint_key AS key, count(DISTINCT date_trunc('day', checked_at, 'UTC'))::int AS days FROM check_result
        WHERE (outcome & 3 < 2 OR outcome & 16 > 0) AND checked_at < date_trunc('day', $1::timestamptz, 'UTC') GROUP BY endpoint_key`,
      [until],
    );
    return new Map(rows.map(({ key, days }) => [key, days]));
  };

  const close = async (hour: number): Promise<void> => {
    bench.clock.at = new Date(hour + HOUR + 120_000);
    await bench.rollup.run();
  };

  const counts = (rows: readonly Summary[]) => rows.map((row) => ({ ...row, p95_24h_us: 0 }));

  beforeAll(async () => {
    bench = await HistoryBench.open(new Date(FROM));
    endpoints = await bench.addEndpoints(17);
    await bench.restartRollupsAt(new Date(FROM));
  });
  afterAll(() => bench.close());

  it('have exact counts at every hour, a p95 at most eight hours old, and a new one for each hour with many checks', async () => {
    const p95 = endpoints.map((): number[] => []);
    for (let hour = FROM; hour < END; hour += HOUR) {
      await bench.write(checksOf(hour));
      await bench.database.query('DELETE FROM history_late');
      await close(hour);
      const [carried, fresh] = [await read(), await computed(new Date(hour + HOUR))];
      expect(counts(carried)).toEqual(counts(fresh));
      expect(carried.at(-1)).toEqual(fresh.at(-1));
      const days = await watchedDays(new Date(hour + HOUR));
      for (const column of ['days_7d', 'days_30d', 'days_90d'])
        expect(carried.map((row) => row[column])).toEqual(carried.map((row) => days.get(row.endpoint_key) ?? 0));
      fresh.forEach((row, index) => p95[index]?.push(row.p95_24h_us));
      carried.forEach((row, index) => expect(p95[index]?.slice(-8)).toContain(row.p95_24h_us));
    }
  });

  it('count nothing but the watched days of an endpoint whose checks were all planned', async () => {
    const planned = (await read())[3];
    expect(planned).toMatchObject({ up_24h: 0, down_24h: 0, unknown_24h: 0, up_90d: 0, down_90d: 0, p95_24h_us: -1 });
    expect(planned?.['days_90d']).toBeGreaterThan(0);
  });

  it('are computed from the hours again after a check came late', async () => {
    const [endpoint] = endpoints;
    if (!endpoint) throw new Error('no endpoint');
    await bench.write([recorded(endpoint, new Date(END - 5 * HOUR + 1), 'down', 1)]);
    await bench.rollup.run();
    await bench.database.query(`UPDATE history_progress SET done_until = $1 WHERE name = 'hour'`, [
      new Date(END - HOUR),
    ]);
    await bench.database.query('UPDATE endpoint_summary SET until = $1', [new Date(END - HOUR)]);
    await close(END - HOUR);
    const [carried] = await read();
    const [fresh] = await computed(new Date(END));
    expect(carried).toEqual(fresh);
  });

  it('use nothing from a summary that is hours old', async () => {
    await bench.database.query('UPDATE endpoint_summary SET until = $1, up_24h = 999', [new Date(END - 3 * HOUR)]);
    await bench.restartRollupsAt(new Date(END - HOUR));
    await close(END - HOUR);
    expect(await read()).toEqual(await computed(new Date(END)));
  });
});
