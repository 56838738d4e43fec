/** @databases both */
import { bucketOf, bucketSql } from '../../../src/history/latency-histogram';
import type { WorkerDatabase } from '../../../src/platform/database/database';
import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = Math.floor(Date.now() / DAY) * DAY;
const at = (offset: number): Date => new Date(MIDNIGHT + offset);
const dayName = (offset: number): string => `check_result_${at(offset).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The partition of a row. If history is distributed, the name ends with the number of the shard. */
const DAY_OF_ROW = String.raw`regexp_replace(tableoid::regclass::text, '(_\d{8})_\d+$', '\1') AS day`;

/** Moves the database's clock, as on a host with a wrong time. */
function aheadByAYear(database: WorkerDatabase) {
  const query = database.query.bind(database);
  const shifted = (sql: string) => sql.replace('clock_timestamp()', `clock_timestamp() + interval '365 days'`);
  return jest.spyOn(database, 'query').mockImplementation((sql, parameters) => query(shifted(sql), parameters));
}

describe('stored history', () => {
  let bench: HistoryBench;
  let endpoint: { id: string; key: string };

  beforeAll(async () => {
    bench = await HistoryBench.open(at(12 * HOUR));
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    const [added] = await bench.addEndpoints(1);
    if (!added) throw new Error('no endpoint');
    endpoint = added;
  });

  const ofEndpoint = <Row>(columns: string, table: string, order = '1') =>
    bench.database.query<Row>(`SELECT ${columns} FROM ${table} WHERE endpoint_key = $1 ORDER BY ${order}`, [
      endpoint.key,
    ]);
  const details = () => ofEndpoint<{ seen_on: string; body: object }>('seen_on::text, body', 'check_detail');
  const purge = () =>
    bench.database.query(`INSERT INTO history_purge (endpoint_key, asked_at) VALUES ($1, now() - interval '1 hour')`, [
      endpoint.key,
    ]);

  const outages = () => ofEndpoint<{ started_at: Date; ended_at: Date | null }>('started_at, ended_at', 'outage');
  const open = (ms: number) => ({
    endpointKey: endpoint.key,
    startedAt: at(ms),
    error: 'dns_timeout' as const,
    message: 'x'.repeat(400),
  });
  const close = (ms: number) => ({ endpointKey: endpoint.key, endedAt: at(ms) });
  const save = (opened: ReturnType<typeof open>[], closed: ReturnType<typeof close>[]) =>
    bench.database.transaction((tx) => bench.writer.outages(tx, opened, closed));

  /** Removes everything in several runs, because one run removes at most two days. */
  const removeAllOld = async () => {
    for (let run = 1; run <= 40; run++) await bench.retention.removeOld();
  };

  const fill = async () => {
    await bench.write([-DAY, 0].map((offset) => recorded(endpoint, at(offset), 'down', 1)));
    await bench.database.transaction((tx) =>
      bench.writer.outages(tx, [{ endpointKey: endpoint.key, startedAt: at(0), error: 'internal', message: '' }], []),
    );
    await bench.database.query(`INSERT INTO check_hour SELECT $1, $2, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, '{1}', '{1}'`, [
      endpoint.key,
      at(0),
    ]);
    await bench.database.query('INSERT INTO check_day SELECT * FROM check_hour WHERE endpoint_key = $1', [
      endpoint.key,
    ]);
    await bench.database.query('INSERT INTO location_hour SELECT 1, h.* FROM check_hour h WHERE endpoint_key = $1', [
      endpoint.key,
    ]);
  };
  const left = async () => {
    const tables = [
      'check_result',
      'check_detail',
      'check_hour',
      'check_day',
      'location_hour',
      'outage',
      'history_late',
    ];
    const counts = await Promise.all(tables.map((table) => ofEndpoint('1', table)));
    return Object.fromEntries(counts.map((rows, index) => [tables[index], rows.length]));
  };

  describe('partitions', () => {
    it('creates partitions for yesterday, today and the next three days', async () => {
      await bench.partitions.createAhead();
      const tables = await bench.partitions.tables();
      for (const offset of [-DAY, 0, DAY, 2 * DAY, 3 * DAY]) expect(tables).toContain(dayName(offset));
    });

    it('creates each partition once when several processes do it at once', async () => {
      await Promise.all([1, 2, 3, 4].map(() => bench.partitions.createAhead()));
      const tables = await bench.partitions.tables();
      expect(new Set(tables).size).toBe(tables.length);
    });

    it('splits a batch over midnight between two partitions', async () => {
      await bench.write([recorded(endpoint, at(-1), 'up', 1), recorded(endpoint, at(0), 'up', 1)]);
      expect(await ofEndpoint(DAY_OF_ROW, 'check_result', 'checked_at')).toEqual([
        { day: dayName(-DAY) },
        { day: dayName(0) },
      ]);
    });

    it('creates a missing partition within the batch, also in several batches at once', async () => {
      const far = [20 * DAY, 20 * DAY + 1, 20 * DAY + 2];
      await Promise.all(far.map((offset) => bench.write([recorded(endpoint, at(offset), 'up', 1)])));
      expect(await ofEndpoint(DAY_OF_ROW, 'check_result')).toEqual(far.map(() => ({ day: dayName(20 * DAY) })));
    });

    it('creates the partition of a rolled-back batch again in the next batch', async () => {
      const lost = bench.database.transaction(async (tx) => {
        await bench.writer.write(tx, [recorded(endpoint, at(30 * DAY), 'up', 1)]);
        throw new Error('rolled back');
      });
      await expect(lost).rejects.toThrow('rolled back');
      await bench.write([recorded(endpoint, at(30 * DAY), 'up', 1)]);
      expect(await ofEndpoint('checked_at', 'check_result')).toHaveLength(1);
    });

    it('drops the partitions that are older than the retention and keeps the newer ones', async () => {
      await bench.write([-40, -31, -30, -1].map((days) => recorded(endpoint, at(days * DAY), 'up', 1)));
      await removeAllOld();
      expect(await ofEndpoint('checked_at', 'check_result')).toEqual([
        { checked_at: at(-30 * DAY) },
        { checked_at: at(-DAY) },
      ]);
    });

    it('drops nothing because the clock of this process is a year ahead', async () => {
      await bench.write([-29, -2, -1].map((days) => recorded(endpoint, at(days * DAY), 'up', 1)));
      bench.clock.at = at(365 * DAY);
      for (let run = 1; run <= 3; run++) await bench.retention.removeOld();
      bench.clock.at = at(12 * HOUR);
      expect(await ofEndpoint('checked_at', 'check_result')).toHaveLength(3);
    });

    it('drops two days in one run at most when both clocks are a year ahead', async () => {
      await removeAllOld();
      await bench.write([-30, -29, -28, -27, -1].map((days) => recorded(endpoint, at(days * DAY), 'up', 1)));
      const ahead = aheadByAYear(bench.database);
      bench.clock.at = at(365 * DAY);
      await bench.retention.removeOld();
      bench.clock.at = at(12 * HOUR);
      ahead.mockRestore();
      expect(await ofEndpoint('checked_at', 'check_result', 'checked_at')).toEqual(
        [-28, -27, -1].map((days) => ({ checked_at: at(days * DAY) })),
      );
    });

    it('drops a partition that an interrupted drop left detached', async () => {
      await bench.write([recorded(endpoint, at(-50 * DAY), 'up', 1)]);
      await bench.database.query(`ALTER TABLE check_result DETACH PARTITION ${dayName(-50 * DAY)}`);
      await bench.retention.removeOld();
      expect(await bench.partitions.tables()).not.toContain(dayName(-50 * DAY));
    });
  });

  describe('details', () => {
    it('stores a detail once for all checks that share it', async () => {
      await bench.write([1, 2, 3].map((ms) => recorded(endpoint, at(ms), 'up', ms)));
      await bench.write([4, 5].map((ms) => recorded(endpoint, at(ms), 'up', ms)));
      expect(await details()).toEqual([{ seen_on: at(0).toISOString().slice(0, 10), body: { address: '192.0.2.1' } }]);
      expect(await ofEndpoint('DISTINCT detail_hash', 'check_result')).toHaveLength(1);
    });

    it('marks a detail as seen with the newest day of its checks', async () => {
      await bench.write([recorded(endpoint, at(-DAY), 'up', 1)]);
      await bench.write([recorded(endpoint, at(0), 'up', 1)]);
      await bench.write([recorded(endpoint, at(-DAY + 1), 'up', 1)]);
      expect((await details()).map((row) => row.seen_on)).toEqual([at(0).toISOString().slice(0, 10)]);
    });

    it('stores the detail of a rolled-back batch in the next batch', async () => {
      const check = recorded(endpoint, at(0), 'up', 1, { address: '192.0.2.77' });
      const lost = bench.database.transaction(async (tx) => {
        await bench.writer.write(tx, [check]);
        throw new Error('rolled back');
      });
      await expect(lost).rejects.toThrow('rolled back');
      expect(await details()).toEqual([]);
      await bench.write([check]);
      expect(await details()).toHaveLength(1);
    });

    it('stores no detail row for a check without a detail', async () => {
      await bench.write([recorded(endpoint, at(0), 'up', 1, { address: null })]);
      expect(await details()).toEqual([]);
    });

    it('stores text of a target that contains NUL, lone surrogates and quotes', async () => {
      await bench.write([
        recorded(endpoint, at(0), 'up', 1, { records: ['a\0b', 'half \ud800 pair', '\u{1f600}', 'quote " \\ {,}'] }),
      ]);
      expect(await details()).toMatchObject([
        { body: { records: ['ab', 'half \u{fffd} pair', '\u{1f600}', 'quote " \\ {,}'] } },
      ]);
    });

    it('deletes a detail once all checks that use it are dropped', async () => {
      await bench.write([
        recorded(endpoint, at(-31 * DAY), 'up', 1, { address: '192.0.2.1' }),
        recorded(endpoint, at(0), 'up', 1, { address: '192.0.2.2' }),
      ]);
      await bench.retention.removeOld();
      expect((await details()).map((row) => row.body)).toEqual([{ address: '192.0.2.2' }]);
    });
  });

  describe('extreme results', () => {
    it('clamps durations and status codes to the range of their columns', async () => {
      await bench.write([
        recorded(endpoint, at(0), 'up', 4e9, { statusCode: 99_999 }),
        recorded(endpoint, at(1), 'unknown', -5),
        recorded(endpoint, at(2), 'up', Number.NaN),
      ]);
      expect(await ofEndpoint('duration_us, status_code', 'check_result', 'checked_at')).toEqual([
        { duration_us: 2_147_483_647, status_code: 32_767 },
        { duration_us: 0, status_code: -1 },
        { duration_us: -1, status_code: 200 },
      ]);
    });
  });

  describe('outages', () => {
    it('stores an outage from the first down check to the first up check', async () => {
      await save([open(10)], []);
      expect(await outages()).toEqual([{ started_at: at(10), ended_at: null }]);
      await save([], [close(20)]);
      expect(await outages()).toEqual([{ started_at: at(10), ended_at: at(20) }]);
    });

    it('stores several outages of one endpoint in one batch', async () => {
      await save([open(10)], []);
      await save([open(30), open(50)], [close(20), close(40)]);
      expect(await outages()).toEqual([
        { started_at: at(10), ended_at: at(20) },
        { started_at: at(30), ended_at: at(40) },
        { started_at: at(50), ended_at: null },
      ]);
    });

    it('changes no outage when a batch is written again', async () => {
      const opened = [open(10), open(30)];
      await save(opened, [close(20)]);
      const before = await outages();
      await save(opened, [close(20)]);
      expect(await outages()).toEqual(before);
    });

    it('ends an open outage where the next one starts', async () => {
      await save([open(10)], []);
      await save([open(30)], []);
      expect(await outages()).toEqual([
        { started_at: at(10), ended_at: at(30) },
        { started_at: at(30), ended_at: null },
      ]);
    });

    it('does not end an outage by an up check from before it started', async () => {
      await save([open(10)], []);
      await save([], [close(5)]);
      expect(await outages()).toEqual([{ started_at: at(10), ended_at: null }]);
    });
  });

  describe('deleted endpoints', () => {
    it('removes all history of a deleted endpoint and of no other', async () => {
      const [other] = await bench.addEndpoints(1);
      if (!other) throw new Error('no endpoint');
      await bench.write([recorded(other, at(0), 'up', 1)]);
      await fill();
      await purge();
      await bench.retention.removeDeletedEndpoints();
      expect(Object.values(await left()).every((count) => count === 0)).toBe(true);
      expect(await bench.database.query('SELECT 1 FROM history_purge WHERE endpoint_key = $1', [endpoint.key])).toEqual(
        [],
      );
      expect(
        await bench.database.query('SELECT 1 FROM check_result WHERE endpoint_key = $1', [other.key]),
      ).toHaveLength(1);
    });

    it('keeps the request to remove the history of an endpoint when a shutdown interrupts the removal', async () => {
      await fill();
      await purge();
      await bench.retention.removeDeletedEndpoints(() => true);
      expect((await left())['check_result']).toBeGreaterThan(0);
      await bench.retention.removeDeletedEndpoints();
      expect((await left())['check_result']).toBe(0);
    });

    it('removes rows of a deleted endpoint that are written up to ten minutes later', async () => {
      await bench.database.query('INSERT INTO history_purge (endpoint_key) VALUES ($1)', [endpoint.key]);
      await bench.retention.removeDeletedEndpoints();
      await fill();
      await bench.retention.removeDeletedEndpoints();
      expect((await left())['check_result']).toBe(0);
    });
  });

  it('keeps hourly stats, daily stats and outages for the configured retention', async () => {
    const old = -(bench.config.rollupRetentionDays + 1) * DAY;
    for (const offset of [old, -DAY]) {
      for (const table of ['check_hour', 'check_day']) {
        await bench.database.query(
          `INSERT INTO ${table} SELECT $1, $2, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, '{1}', '{1}'`,
          [endpoint.key, at(offset)],
        );
      }
      await bench.database.query(
        `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message) VALUES ($1, $2, $2, 0, '')`,
        [endpoint.key, at(offset)],
      );
    }
    await bench.retention.removeOld();
    for (const [table, time] of [
      ['check_hour', 'start_at'],
      ['check_day', 'start_at'],
      ['outage', 'started_at'],
    ] as const) {
      expect(await ofEndpoint(`${time} AS at`, table)).toEqual([{ at: at(-DAY) }]);
    }
  });

  it('assigns a latency to the same histogram bucket in SQL and in TypeScript', async () => {
    const borders = Array.from({ length: 250 }, (_, index) => 100 * 2 ** ((index - 54) / 8));
    const around = borders.flatMap((us) => [Math.floor(us) - 1, Math.floor(us), Math.ceil(us), Math.ceil(us) + 1]);
    const values = [...new Set(around)].filter((us) => us >= 0 && us <= 2_147_483_647);
    const rows = await bench.database.query<{ us: number; bucket: number }>(
      `SELECT us, ${bucketSql('us')} AS bucket FROM unnest($1::integer[]) AS v (us)`,
      [values],
    );
    expect(rows).toEqual(values.map((us) => ({ us, bucket: bucketOf(us) })));
  });
});
