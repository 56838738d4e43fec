import {
  citusNodes,
  createOnAllNodes,
  distribute,
  dropOnAllNodes,
  migrateDatabase,
  NO_CITUS,
  onNode,
  urlOf,
} from '../harness/database/citus-cluster';

const nodes = citusNodes();
const suite = nodes === null ? describe.skip : describe;
const DISTRIBUTED = ['check_day', 'check_detail', 'check_hour', 'check_result', 'history_late', 'outage'];

suite(`deploy/citus/distribute.sql${nodes === null ? ` (${NO_CITUS})` : ''}`, () => {
  const cluster = nodes ?? ['', ''];
  const name = `uptime_test_distribute_${process.pid}_${Date.now()}`;
  afterEach(() => dropOnAllNodes(cluster, name));

  const distributedTables = async (url: string) =>
    (
      await onNode(
        url,
        `SELECT logicalrelid::text AS name FROM pg_dist_partition
          WHERE logicalrelid::text !~ '^check_result_[0-9]+$' ORDER BY 1`,
      )
    ).map((row) => (row as { name: string }).name);
  const partitionOf = (day: string) =>
    `CREATE TABLE check_result_${day.replaceAll('-', '')} PARTITION OF check_result
       FOR VALUES FROM ('${day}T00:00:00Z') TO (('${day}T00:00:00Z'::timestamptz + interval '1 day'))`;

  it('reports that the extension is missing', async () => {
    await onNode(cluster[0], `CREATE DATABASE ${name}`);
    await expect(distribute(urlOf(cluster[0], name))).rejects.toThrow('This database does not have Citus');
  });

  it('reports that the service has not migrated the database yet', async () => {
    const url = await createOnAllNodes(cluster, name);
    await expect(distribute(url)).rejects.toThrow('start the service once, it migrates the database');
  });

  it('reports that there is no worker', async () => {
    const url = await createOnAllNodes(cluster, name, []);
    await migrateDatabase(url);
    await expect(distribute(url)).rejects.toThrow('The cluster has no worker');
  });

  it('distributes only history, and changes nothing the second time', async () => {
    const url = await createOnAllNodes(cluster, name);
    await migrateDatabase(url);
    await distribute(url);
    const shards = await onNode(url, 'SELECT count(*)::int AS n FROM pg_dist_shard');
    await distribute(url);
    expect(await onNode(url, 'SELECT count(*)::int AS n FROM pg_dist_shard')).toEqual(shards);
    expect(await distributedTables(url)).toEqual(DISTRIBUTED);
    expect(await onNode(url, `SELECT current_setting('citus.max_adaptive_executor_pool_size') AS size`)).toEqual([
      { size: '1' },
    ]);
  });

  it('distributes existing history as well', async () => {
    const url = await createOnAllNodes(cluster, name);
    await migrateDatabase(url);
    const row = `'2026-01-02T10:00:00Z'::timestamptz, 0, 1, 1, 1, 1, 1, 1, 200, -1, 1`;
    await onNode(
      url,
      partitionOf('2026-01-02'),
      `INSERT INTO check_result SELECT n, ${row} FROM generate_series(1, 500) n`,
    );
    await distribute(url);
    expect(await onNode(url, 'SELECT count(*)::int AS n, sum(endpoint_key)::int AS sum FROM check_result')).toEqual([
      { n: 500, sum: 125_250 },
    ]);
  });
});
