import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR = 3_600_000;
// In the middle of an hour two hours ago, so that database time closes only hours that the test closes.
const NOW = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR + 34 * 60_000;
const THIS_HOUR = Math.floor(NOW / HOUR) * HOUR;

type Endpoint = { id: string; key: string };

describe('the p95 of endpoints without one from closed hours', () => {
  let bench: HistoryBench;

  beforeAll(async () => {
    bench = await HistoryBench.open(new Date(NOW));
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    bench.clock.at = new Date(NOW);
    for (const table of ['website', 'check_result', 'check_hour', 'endpoint_summary', 'history_new'])
      await bench.database.query(`DELETE FROM ${table}`);
    await bench.restartRollupsAt(new Date(THIS_HOUR));
  });

  /** Inserts endpoints as EndpointService does, created two minutes ago. */
  const add = async (count: number): Promise<Endpoint[]> => {
    const endpoints = await bench.addEndpoints(count);
    await bench.database.query(`UPDATE endpoint SET created_at = now() - interval '2 minutes'`);
    await bench.database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint
       ON CONFLICT DO NOTHING`,
    );
    await bench.database.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       SELECT id, org_id, 60, 5, 0, true, 1, now() FROM endpoint ON CONFLICT DO NOTHING`,
    );
    return endpoints;
  };

  /** Records checks of 1, 2, … ms in the running hour, all up, and counts them as the recorder does. */
  const check = async (endpoints: readonly Endpoint[], count: number): Promise<void> => {
    await bench.write(
      endpoints.flatMap((endpoint) =>
        Array.from({ length: count }, (_, n) => recorded(endpoint, new Date(THIS_HOUR + n * 1000), 'up', n + 1)),
      ),
    );
    await bench.database.query(
      `UPDATE endpoint_state SET hour_start = $1, hour_up = hour_up + $2 WHERE endpoint_id = ANY ($3::uuid[])`,
      [new Date(THIS_HOUR), count, endpoints.map(({ id }) => id)],
    );
  };

  const summaries = () =>
    bench.database.query<{ key: string; us: number; checks: number }>(
      'SELECT endpoint_key AS key, p95_24h_us AS us, young_checks AS checks FROM endpoint_summary ORDER BY 1',
    );
  const noted = async () =>
    (await bench.database.query<{ key: string }>('SELECT endpoint_key AS key FROM history_new ORDER BY 1')).map(
      ({ key }) => key,
    );
  /** Simulates that the time until the next look has passed. */
  const passTime = () => bench.database.query('UPDATE history_new SET look_at = now()');

  it('is written within two runs once an endpoint has eight up checks', async () => {
    const endpoints = await add(250);
    await check(endpoints, 8);
    await bench.rollup.run();
    await passTime();
    await bench.rollup.run();
    expect(await summaries()).toEqual(endpoints.map(({ key }) => ({ key, us: 8000, checks: 8 })));
  });

  it('costs nothing for an endpoint with fewer checks, which the overview computes directly', async () => {
    const endpoints = await add(3);
    await check(endpoints, 7);
    await bench.rollup.run();
    await passTime();
    await bench.rollup.run();
    expect(await summaries()).toEqual([]);
  });

  it('is computed again when the checks have doubled, not before', async () => {
    const endpoints = await add(1);
    await check(endpoints, 8);
    for (const [more, checks] of [
      [0, 8],
      [7, 8],
      [1, 16],
    ] as const) {
      await check(endpoints, more);
      await bench.rollup.run();
      await passTime();
      await bench.rollup.run();
      expect(await summaries()).toMatchObject([{ checks }]);
    }
  });

  it('reads no endpoint before it can have had enough checks', async () => {
    const endpoints = await add(1);
    await bench.rollup.run();
    await check(endpoints, 8);
    await bench.rollup.run();
    expect(await summaries()).toEqual([]);
  });

  it('waits a minute before it skips a key, in case a lower one is not committed yet', async () => {
    const [, recent, old] = await add(3);
    await bench.database.query('UPDATE endpoint SET created_at = now() WHERE id = $1', [recent?.id]);
    await bench.rollup.run();
    expect(await noted()).toHaveLength(1);
    await bench.database.query(`UPDATE endpoint SET created_at = now() - interval '61 seconds'`);
    await bench.rollup.run();
    expect(await noted()).toContain(old?.key);
  });

  it('comes from the closed hours as soon as one is closed, and the endpoint is no longer read', async () => {
    const endpoints = await add(2);
    await check(endpoints, 8);
    await bench.rollup.run();
    bench.clock.at = new Date(THIS_HOUR + HOUR + 120_000);
    await bench.rollup.run();
    expect(await summaries()).toEqual(endpoints.map(({ key }) => ({ key, us: 7948, checks: 0 })));
    await passTime();
    await bench.rollup.run();
    expect(await noted()).toEqual([]);
  });

  it('is computed again if the closed hours have none, but not for paused or deleted endpoints', async () => {
    const [idle, paused, deleted] = await add(3);
    await bench.database.query(`UPDATE endpoint_schedule SET active = false WHERE endpoint_id = $1`, [paused?.id]);
    bench.clock.at = new Date(THIS_HOUR + HOUR + 120_000);
    await bench.rollup.run();
    await bench.database.query('DELETE FROM history_new');
    await bench.restartRollupsAt(new Date(THIS_HOUR));
    await bench.rollup.run();
    await bench.database.query('DELETE FROM endpoint WHERE id = $1', [deleted?.id]);
    await passTime();
    await bench.rollup.run();
    expect(await noted()).toEqual([idle?.key]);
  });
});
