import type { Tx } from '../platform/database/database';

/**
 * Reminders of these alerts that wait to be sent are not sent any more: newer ones follow. What is being sent right now is
 * finished, and what a client asked for again stays. One statement; the index of an alert's deliveries is walked once each.
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
