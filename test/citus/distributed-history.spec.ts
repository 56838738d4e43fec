import type { FinishedCheck } from '../../src/engine/finished-check';
import { HistoryBench, recorded } from '../harness/app/history';
import { citusNodes, NO_CITUS, onNode, urlOf } from '../harness/database/citus-cluster';
import { distributedDatabase, plainDatabase, type TestDatabase } from '../harness/database/database';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Two hours ago, so that database time closes only hours that the test closes. */
const NOW = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR + 20 * 60_000;
const FIRST = Math.floor((NOW - 2 * DAY) / HOUR) * HOUR;

const nodes = citusNodes();
const suite = nodes === null ? describe.skip : describe;

/** The columns of each table that must not depend on where it is stored. */
const FIGURES = {
  check_result: '*',
  check_detail: 'endpoint_key, hash, seen_on::text, body',
  check_hour: '*',
  check_day: '*',
  outage: '*',
  endpoint_summary: '*',
  history_late: '*',
  endpoint_day: '*',
  endpoint_outage: '*',
} as const;

suite(`history on a Citus cluster${nodes === null ? ` (${NO_CITUS})` : ''}`, () => {
  let plain: HistoryBench;
  let distributed: HistoryBench;
  let database: TestDatabase;
  let endpoints: { id: string; key: string }[];
  const both = <T>(work: (bench: HistoryBench) => Promise<T>): Promise<T[]> =>
    Promise.all([plain, distributed].map((bench) => work(bench)));

  beforeAll(async () => {
    const cluster = citusNodes();
    if (cluster === null) throw new Error(NO_CITUS);
    database = await distributedDatabase(cluster);
    plain = await HistoryBench.open(new Date(NOW), await plainDatabase(cluster[0]));
    distributed = await HistoryBench.open(new Date(NOW), database);
    endpoints = await plain.addEndpoints(40);
    await copyEndpoints(plain, distributed);
    await both((bench) => bench.restartRollupsAt(new Date(FIRST)));
  });
  afterAll(() => both((bench) => bench.close()));

  const rowsOf = async (bench: HistoryBench, table: keyof typeof FIGURES): Promise<string[]> => {
    const rows = await bench.database.query<object>(`SELECT ${FIGURES[table]} FROM ${table}`);
    return rows.map((row) => JSON.stringify(row)).sort();
  };
  async function expectSameFigures(): Promise<void> {
    for (const table of Object.keys(FIGURES) as (keyof typeof FIGURES)[]) {
      const [expected, found] = await both((bench) => rowsOf(bench, table));
      expect({ [table]: found }).toEqual({ [table]: expected });
    }
  }
  const countOf = async (table: string, condition = 'true'): Promise<number> => {
    const [row] = await distributed.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`,
    );
    return row?.n ?? NaN;
  };
  /** Returns how many tables of each worker start with that name. By default, Citus hides shards. */
  const onWorkers = (prefix: string): Promise<number[]> =>
    Promise.all(
      (nodes ?? []).slice(1).map(async (worker) => {
        const name = new URL(database.url).pathname.slice(1);
        const like = prefix.replaceAll('_', String.raw`\_`);
        const tables = await onNode(
          urlOf(worker, name),
          'SET citus.override_table_visibility = off',
          `SELECT 1 FROM pg_class WHERE relkind = 'r' AND relname LIKE '${like}%'`,
        );
        return tables.length;
      }),
    );

  it('gives the same checks, hours, days, summaries and outages as one PostgreSQL', async () => {
    const checks = checksOf(endpoints, FIRST, NOW);
    await both(async (bench) => {
      for (let index = 0; index < checks.length; index += 500) await bench.write(checks.slice(index, index + 500));
      await bench.database.transaction((tx) => bench.writer.outages(tx, ...outagesOf(endpoints)));
      await bench.restartRollupsAt(new Date(FIRST));
      await bench.rollup.run();
    });
    expect(await countOf('check_hour')).toBeGreaterThan(40 * 40);
    expect(await countOf('check_day')).toBeGreaterThanOrEqual(40);
    await expectSameFigures();
  });

  it('corrects hours and days for checks that come late, as one PostgreSQL does', async () => {
    const late = endpoints.map((endpoint) => recorded(endpoint, new Date(FIRST + 90 * 60_000), 'up', 123));
    const before = await countOf(
      'check_hour',
      `start_at = '${new Date(FIRST + HOUR).toISOString()}' AND max_us >= 123000`,
    );
    await both(async (bench) => {
      await bench.write(late);
      await bench.rollup.run();
    });
    expect(await countOf('history_late')).toBe(0);
    expect(before).toBe(0);
    expect(
      await countOf('check_hour', `start_at = '${new Date(FIRST + HOUR).toISOString()}' AND max_us = 123000`),
    ).toBe(endpoints.length);
    await expectSameFigures();
  });

  it('answers a query about any range with the same numbers', async () => {
    for (const { key } of endpoints.slice(0, 8)) {
      const [expected, found] = await both((bench) => bench.stats.total(key, FIRST + 61_000, NOW - 61_000));
      expect(found).toEqual(expected);
    }
  });

  it('spreads the checks over all workers', async () => {
    for (const shards of await onWorkers('check_hour_')) expect(shards).toBe(32 / ((nodes ?? []).length - 1));
  });

  it('removes all history of a deleted endpoint and of no other', async () => {
    const [gone] = endpoints;
    if (gone === undefined) throw new Error('no endpoint');
    await both(async (bench) => {
      await bench.database.query(`INSERT INTO history_purge (endpoint_key) VALUES ($1)`, [gone.key]);
      await bench.retention.removeDeletedEndpoints();
    });
    for (const table of ['check_result', 'check_detail', 'check_hour', 'check_day', 'outage', 'endpoint_summary'])
      expect(await countOf(table, `endpoint_key = ${gone.key}`)).toBe(0);
    await expectSameFigures();
  });

  it('removes more rows of a table than one portion has', async () => {
    const [, old] = endpoints;
    if (old === undefined) throw new Error('no endpoint');
    await both(async (bench) => {
      await bench.database.query(
        `INSERT INTO check_hour
         SELECT $1, '2020-01-01T00:00:00Z'::timestamptz + n * interval '1 hour', 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, '{1}', '{1}'
           FROM generate_series(1, 4500) AS n`,
        [old.key],
      );
      await bench.retention.removeOld();
    });
    expect(await countOf('check_hour', `start_at < '2021-01-01'`)).toBe(0);
    await expectSameFigures();
  });

  it('removes more checks of one endpoint and day than one portion has', async () => {
    const [, , busy] = endpoints;
    if (busy === undefined) throw new Error('no endpoint');
    const many = Array.from({ length: 4500 }, (_, second) => recorded(busy, new Date(FIRST + second * 1000), 'up', 1));
    await both(async (bench) => {
      await bench.write(many);
      await bench.database.query(`INSERT INTO history_purge (endpoint_key) VALUES ($1)`, [busy.key]);
      await bench.retention.removeDeletedEndpoints();
      await bench.rollup.run();
    });
    expect(await countOf('check_result', `endpoint_key = ${busy.key}`)).toBe(0);
    await expectSameFigures();
  });

  it('creates the partition of a day on every worker, and drops it there', async () => {
    const old = new Date(NOW - 5 * DAY);
    const name = `check_result_${old.toISOString().slice(0, 10).replaceAll('-', '')}`;
    const [, , , endpoint] = endpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    await both((bench) => bench.write([recorded(endpoint, old, 'up', 1)]));
    for (const shards of await onWorkers(`${name}_`)) expect(shards).toBeGreaterThan(0);
    await both((bench) => bench.partitions.dropBefore(Math.floor((NOW - 4 * DAY) / DAY)));
    expect(await onWorkers(name)).toEqual((nodes ?? []).slice(1).map(() => 0));
    expect(await distributed.partitions.tables()).not.toContain(name);
  });
});

/** Copies endpoints with the same IDs and keys, like a restored backup. */
async function copyEndpoints(from: HistoryBench, to: HistoryBench): Promise<void> {
  for (const table of ['organization', 'website', 'endpoint']) {
    const rows = await from.database.query<Record<string, unknown>>(`SELECT to_jsonb(t) AS row FROM ${table} t`);
    await to.database.query(
      `INSERT INTO ${table} SELECT r.* FROM jsonb_array_elements($1::jsonb) AS e (row),
              jsonb_populate_record(NULL::${table}, e.row) AS r ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows.map(({ row }) => row))],
    );
  }
}

/** Returns one check in seven minutes for each, some of them down or unknown. In the second hour, no check is slow. */
function checksOf(endpoints: readonly { id: string; key: string }[], from: number, to: number): FinishedCheck[] {
  const checks: FinishedCheck[] = [];
  for (const [index, endpoint] of endpoints.entries()) {
    for (let at = from + index * 1000, n = index; at < to; at += 7 * 60_000, n++) {
      const outcome = n % 11 === 3 ? 'down' : n % 17 === 5 ? 'unknown' : 'up';
      checks.push(recorded(endpoint, new Date(at), outcome, 1 + ((n * 37) % 100)));
    }
  }
  return checks;
}

function outagesOf(
  endpoints: readonly { key: string }[],
): Parameters<HistoryBench['writer']['outages']> extends [unknown, ...infer Rest] ? Rest : never {
  const error = 'connection_refused' as const;
  return [
    endpoints.map(({ key }) => ({ endpointKey: key, startedAt: new Date(FIRST + HOUR), error, message: 'refused' })),
    endpoints.slice(10).map(({ key }) => ({ endpointKey: key, endedAt: new Date(FIRST + 2 * HOUR) })),
  ];
}
