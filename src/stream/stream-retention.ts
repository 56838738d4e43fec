import { inBatches, type Retention } from '../platform/jobs/retention.job';
import { DAY_MS } from '../platform/time/time-units';
import { KEPT_MS } from './stream-position';

/**
 * Deletes rows that are too old to resume from. After a backup was restored, it also deletes rows with transaction IDs
 * from the original server. Runs in every process.
 */
export const STREAM_RETENTION: Retention = {
  name: 'stream-retention',
  role: 'any',
  rows: [
    {
      days: KEPT_MS / DAY_MS,
      remove: inBatches('DELETE FROM stream_event WHERE at < $1 OR xid >= pg_snapshot_xmax(pg_current_snapshot())'),
    },
  ],
};
