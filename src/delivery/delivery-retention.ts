import { firstUuidAt } from '../platform/ids/id';
import { inBatches, type Retention, RETENTION_BATCH } from '../platform/jobs/retention.job';
import { DAY_MS } from '../platform/time/time-units';

// IDs are in creation order. Reads the part of the primary key that covers the ten days before the cutoff, and
// everything after it.
const FORGET_CONFIGS = `
  UPDATE notification SET config = NULL WHERE config IS NOT NULL AND state <> 'pending' AND finished_at < $1 AND id >= $2`;

// The oldest rows come first in the primary key.
const REMOVE_DELIVERIES = `
  DELETE FROM notification WHERE id IN (
    SELECT id FROM notification WHERE id < $1 AND state <> 'pending' AND finished_at < $2 ORDER BY id LIMIT ${RETENTION_BATCH})
  RETURNING 1`;

// The state of a failing destination is kept while a contact uses it, because the contact shows how long it has been
// failing. Reads at most 1,000 contacts of an organization per destination.
const REMOVE_IDLE = `
  DELETE FROM notification_destination d
   WHERE due_at IS NULL AND tokens_at < $1 AND (blocked_until IS NULL OR blocked_until < $1)
     AND (failing_since IS NULL
       OR NOT EXISTS (SELECT FROM contact c WHERE c.org_id = d.org_id AND c.destination = d.destination))`;

/** Finished deliveries are listed for 90 days. A new config can revive a failed delivery for a day. */
export const DELIVERY_RETENTION: Retention = {
  name: 'delivery-retention',
  rows: [
    {
      days: 1,
      remove: inBatches(FORGET_CONFIGS, (cutoff) => [cutoff, firstUuidAt(new Date(cutoff.getTime() - 9 * DAY_MS))]),
    },
    { days: 90, remove: inBatches(REMOVE_DELIVERIES, (cutoff) => [firstUuidAt(cutoff), cutoff]) },
    { days: 1, remove: inBatches(REMOVE_IDLE) },
  ],
};
