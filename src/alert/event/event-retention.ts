import { firstUuidAt, NIL_UUID } from '../../platform/ids/id';
import { type Removal, type Retention, RETENTION_BATCH } from '../../platform/jobs/retention.job';

/**
 * The maximum number of rows that one run removes, a twentieth of a million events. Even if both clocks are wrong, this
 * prevents everything from being deleted in one run.
 */
const MAX_PER_RUN = 50_000;

/**
 * IDs are in creation order. Cost: a range of the primary key, and three index lookups for each row. Rows that are
 * kept, at most four for each alert, are read in each run.
 */
const REMOVE = `
  WITH old AS MATERIALIZED (
    SELECT id, alert_id, incident_no FROM alert_event WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${RETENTION_BATCH}
  ), gone AS (
    DELETE FROM alert_event e USING old
     WHERE e.id = old.id
       AND NOT EXISTS (SELECT 1 FROM alert a WHERE a.id = old.alert_id AND a.incident_no <= old.incident_no)
       AND NOT EXISTS (SELECT 1 FROM alert_event r
                        WHERE r.alert_id = old.alert_id AND r.incident_no IN (old.incident_no, old.incident_no + 1) AND r.id >= $2)
       AND NOT EXISTS (SELECT 1 FROM notification n WHERE n.event_id = old.id AND n.state = 'pending')
    RETURNING 1
  )
  SELECT (SELECT id FROM old ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*)::int FROM old) AS looked,
         (SELECT count(*)::int FROM gone) AS removed`;

async function removeEvents({ database, cutoff, isStopping }: Removal): Promise<void> {
  const before = firstUuidAt(cutoff);
  let removed = 0;
  for (let after: string | null = NIL_UUID; after !== null && removed < MAX_PER_RUN && !isStopping();) {
    const rows: { last: string | null; looked: number; removed: number }[] = await database.query(REMOVE, [
      after,
      before,
    ]);
    const [step] = rows;
    removed += step?.removed ?? 0;
    after = step && step.looked === RETENTION_BATCH ? step.last : null;
  }
}

/**
 * Removes whole episodes, but never an alert's newest episode or an episode before a newer one that is kept. The
 * remaining events then still show when the alert was triggered, and triggers and resolves still alternate.
 */
export const EVENT_RETENTION: Retention = {
  name: 'event-retention',
  rows: [{ days: (config) => config.eventRetentionDays, remove: removeEvents }],
};
