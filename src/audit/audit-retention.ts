import type { Config } from '../platform/config/config';
import { inBatches, type KeptRows, type Retention, RETENTION_BATCH } from '../platform/jobs/retention.job';

/**
 * Returns the retention rule for a table. `key` identifies a row. The trigger on the table allows deletion of rows that
 * are older than `uptime.audit_cutoff`, which is set for this statement. Cost: the oldest rows by the index on
 * `created_at`.
 */
const entriesOf = (table: string, key: string): KeptRows => ({
  days: (config: Config) => config.rollupRetentionDays,
  remove: inBatches(
    `DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} WHERE created_at < (SELECT set_config('uptime.audit_cutoff', $1, true)::timestamptz)
        ORDER BY created_at LIMIT ${RETENTION_BATCH}) RETURNING 1`,
    (cutoff) => [cutoff.toISOString()],
  ),
});

/** Entries are deleted only by this job, or together with their organization. */
export const AUDIT_RETENTION: Retention = {
  name: 'audit-retention',
  rows: [entriesOf('audit_log', 'org_id, id'), entriesOf('operator_audit_log', 'id')],
};
