-- Distributes history over the nodes of a Citus cluster: checks, their details, hours (by location too), days, outages and pings, by endpoint. Every
-- other table stays an ordinary one on the coordinator. Run it there as the owner of the tables, after the service has
-- migrated the database, and while the service is stopped:
--
--   psql -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql "$DATABASE_URL"
--
-- README.md in this folder describes the steps before and after. If you run the script again, it changes nothing.
BEGIN;

DO $$
DECLARE
  history text[] := ARRAY['check_detail', 'check_result', 'check_hour', 'check_day', 'location_hour', 'outage', 'history_late', 'ping'];
  wanted text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    RAISE EXCEPTION 'This database does not have Citus. Run CREATE EXTENSION citus in it, on the coordinator and on every worker.';
  END IF;
  FOREACH wanted IN ARRAY history LOOP
    IF to_regclass(wanted) IS NULL THEN
      RAISE EXCEPTION 'The table % does not exist. Start the service once to migrate the database, and stop it again.', wanted;
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards) THEN
    RAISE EXCEPTION 'The cluster has no workers. Run SELECT citus_add_node(host, port) on the coordinator for each worker.';
  END IF;

  -- Some shards for each worker, so that workers can be added later. It cannot be changed in daily work.
  PERFORM set_config('citus.shard_count', '32', true);
  FOREACH wanted IN ARRAY history LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = wanted::regclass);
    -- All by the shards of the first: what belongs to one endpoint lies on one node.
    PERFORM create_distributed_table(wanted, 'endpoint_key',
                                     colocate_with => CASE wanted WHEN history[1] THEN 'none' ELSE history[1] END);
  END LOOP;

  -- A batch of checks goes to every shard. Without this Citus opens a connection for each shard and closes most of them
  -- again: several times the work of writing the checks themselves.
  EXECUTE format('ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database());
  -- Of a worker that says nothing. The default is 30 s, for which a batch that writes history would wait.
  EXECUTE format('ALTER DATABASE %I SET citus.node_connection_timeout = 2000', current_database());
END $$;

COMMIT;
