import { inBatches, type Retention } from '../platform/jobs/retention.job';
import { DAY_MS } from '../platform/time/time-units';
import { KEPT_MS } from './stream-position';

/** Rows too old to resume from, and rows with transaction ids of the server that a backup was restored from. In every process. */
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
