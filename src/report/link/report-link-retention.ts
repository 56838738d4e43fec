import { inBatches, type Retention, RETENTION_BATCH } from '../../platform/jobs/retention.job';

const EXPIRED = `
  DELETE FROM report_link WHERE id IN (
    SELECT id FROM report_link WHERE expires_at < $1 ORDER BY expires_at LIMIT ${RETENTION_BATCH}) RETURNING 1`;

/** Deletes links 30 days after they have expired. Until then they are listed, so that people see why a link stopped working. */
export const REPORT_LINK_RETENTION: Retention = {
  name: 'report-link-retention',
  rows: [{ days: 30, remove: inBatches(EXPIRED) }],
};
