import { BY_LOCATION, BY_VERDICT, type Judged } from '../check-encoding';
import { bucketSql } from '../latency-histogram';
import { epochMs } from '../../platform/database/epoch-ms';

const SUMS = ['sum_us', 'dns_us', 'connect_us', 'tls_us', 'first_byte_us', 'transfer_us'] as const;

/**
 * The columns in check_hour and check_day that follow the key (endpoint_key, start_at), in the order that the two
 * functions below use.
 */
export const STATS_COLUMNS = `up, down, unknown, ${SUMS.join(', ')}, min_us, max_us, buckets, counts, planned, degraded`;

/** The columns for a `CheckStatsRow`. Sums are floats in JavaScript but are far below 2^53. */
export const STATS_ROW = `${epochMs('start_at')} AS start_ms, up, down, unknown,
  ${SUMS.map((sum) => `${sum}::float8 AS ${sum}`).join(', ')}, min_us, max_us, buckets::text AS buckets,
  counts::text AS counts, planned, degraded`;

/** Assignments that replace stored stats with rebuilt ones. */
export const REPLACE_STATS = STATS_COLUMNS.split(', ')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

/**
 * Returns SQL that aggregates individual checks into stats, grouped by `key` and `startAt` (an SQL expression).
 * `source` follows FROM and consists of check_result and the conditions. The query makes one pass over the checks and a
 * second one over the few buckets. A check without a duration isn't in any bucket.
 */
const aggregateSql = (key: string, { counted, isUp, degraded }: Judged, startAt: string, source: string): string => `
  SELECT ${key}, start_at,
         coalesce(sum(n) FILTER (WHERE counted = 1), 0)::integer AS up,
         coalesce(sum(n) FILTER (WHERE counted = 0), 0)::integer AS down,
         coalesce(sum(n) FILTER (WHERE counted = 2), 0)::integer AS unknown,
         ${SUMS.map((sum) => `coalesce(sum(${sum}) FILTER (WHERE bucket IS NOT NULL), 0)::bigint AS ${sum}`).join(',\n         ')},
         coalesce(min(min_us) FILTER (WHERE bucket IS NOT NULL), 0) AS min_us,
         coalesce(max(max_us) FILTER (WHERE bucket IS NOT NULL), 0) AS max_us,
         coalesce(array_agg(bucket ORDER BY bucket) FILTER (WHERE bucket IS NOT NULL), '{}') AS buckets,
         coalesce(array_agg(n::integer ORDER BY bucket) FILTER (WHERE bucket IS NOT NULL), '{}') AS counts,
         coalesce(sum(n) FILTER (WHERE counted = 3), 0)::integer AS planned,
         coalesce(sum(degraded) FILTER (WHERE counted = 1), 0)::integer AS degraded
    FROM (SELECT ${key}, ${startAt} AS start_at, ${counted} AS counted,
                 CASE WHEN ${isUp} AND duration_us >= 0 THEN ${bucketSql('duration_us')} END AS bucket,
                 count(*) AS n, count(${degraded}) AS degraded,
                 sum(duration_us) AS sum_us, min(duration_us) AS min_us, max(duration_us) AS max_us,
                 sum(greatest(dns_us, 0)) AS dns_us, sum(greatest(connect_us, 0)) AS connect_us,
                 sum(greatest(tls_us, 0)) AS tls_us, sum(greatest(first_byte_us, 0)) AS first_byte_us,
                 sum(greatest(transfer_us, 0)) AS transfer_us
            FROM ${source}
           GROUP BY ${key}, start_at, counted, bucket) AS part
   GROUP BY ${key}, start_at`;

/** Returns SQL for per-endpoint stats, based on the verdict. */
export const rollUpChecksSql = (startAt: string, source: string): string =>
  aggregateSql('endpoint_key', BY_VERDICT, startAt, source);

/** Returns SQL for per-location stats, based on what each location observed. */
export const rollUpLocationsSql = (startAt: string, source: string): string =>
  aggregateSql('endpoint_key, location', BY_LOCATION, startAt, source);

/** Returns SQL that merges rows from check_hour, grouped by endpoint and `startAt`. `source` is as above. */
export const mergeHoursSql = (startAt: string, source: string): string => `
  WITH part AS (SELECT check_hour.*, ${startAt} AS group_at FROM ${source}),
  spread AS (
    SELECT endpoint_key, group_at, bucket, sum(n)::integer AS n
      FROM part CROSS JOIN LATERAL unnest(buckets, counts) AS h (bucket, n)
     GROUP BY 1, 2, 3
  ),
  shape AS (
    SELECT endpoint_key, group_at, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts
      FROM spread GROUP BY 1, 2
  ),
  total AS (
    SELECT endpoint_key, group_at, sum(up)::integer AS up, sum(down)::integer AS down, sum(unknown)::integer AS unknown,
           ${SUMS.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(', ')},
           coalesce(min(min_us) FILTER (WHERE counts <> '{}'), 0) AS min_us, max(max_us) AS max_us,
           sum(planned)::integer AS planned, sum(degraded)::integer AS degraded
      FROM part GROUP BY 1, 2
  )
  SELECT endpoint_key, group_at AS start_at, up, down, unknown, ${SUMS.join(', ')}, min_us, max_us,
         coalesce(buckets, '{}') AS buckets, coalesce(counts, '{}') AS counts, planned, degraded
    FROM total LEFT JOIN shape USING (endpoint_key, group_at)`;
