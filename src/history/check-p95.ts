import { IS_COUNTED_UP } from './check-encoding';

/** Of the keys $1, from their up checks since $2 that were not planned. Cost: those checks, and the others of the same days in their index. */
export const P95_OF_CHECKS = `
  SELECT endpoint_key AS key, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us) AS us
    FROM check_result
   WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND ${IS_COUNTED_UP}
   GROUP BY endpoint_key`;
