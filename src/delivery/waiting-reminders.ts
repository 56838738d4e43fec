import type { Tx } from '../platform/database/database';

/**
 * Supersedes the waiting reminders of these alerts, because newer ones follow. A reminder that is currently being sent
 * is completed, and a redelivery is kept. Cost: one statement, which scans the index of each alert's deliveries once.
 */
export async function collapseReminders(tx: Tx, alertIds: readonly string[], now: Date): Promise<void> {
  if (alertIds.length === 0) return;
  await tx.query(
    `UPDATE notification SET state = 'superseded', detail = 'collapsed', finished_at = $2, config = NULL
     WHERE id = ANY (ARRAY(
       SELECT id FROM notification
       WHERE alert_id = ANY ($1::uuid[]) AND kind = 'reminder' AND state = 'pending' AND lease_token IS NULL
         AND detail IS DISTINCT FROM 'redeliver'
       ORDER BY id FOR UPDATE SKIP LOCKED))`,
    [alertIds, now],
  );
}
