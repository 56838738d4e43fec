import type { Sql } from '../platform/database/database';
import type { ContactDeliveryView } from './contact.dto';
import type { Contact } from './contact.entity';
import type { FailedAttempts } from './failing';
import { FAILED } from './failing-queries';

export interface ContactUse {
  alertCount: number;
  lastDelivery: ContactDeliveryView | null;
  failed: FailedAttempts;
}

export const NOT_USED: ContactUse = {
  alertCount: 0,
  lastDelivery: null,
  failed: { since: null, count: 0, lastAt: null },
};

interface Row extends Pick<ContactDeliveryView, 'error'>, FailedAttempts {
  id: string;
  alertCount: number;
  state: ContactDeliveryView['state'] | null;
  at: Date | null;
}

// Cost for each contact: its part of the index of alerts by contact, one lookup in the index of deliveries by contact,
// and one of the destination's row.
const READ = `
  SELECT c.id, ${FAILED}, n.state, n.at, n.error,
    (SELECT count(*)::int FROM alert a WHERE a.contact_id = c.id) AS "alertCount"
  FROM unnest($2::uuid[], $3::text[]) AS c (id, destination)
  LEFT JOIN notification_destination d ON d.org_id = $1 AND d.destination = c.destination
  LEFT JOIN LATERAL (
    SELECT n.state, COALESCE(n.last_attempt_at, n.created_at) AS at, n.error FROM notification n
     WHERE n.contact_id = c.id AND n.kind <> 'test' ORDER BY n.seq DESC LIMIT 1) n ON true`;

/** Returns the use of each of these contacts. Cost: one statement. */
export async function usesOf(
  sql: Sql,
  orgId: string,
  contacts: readonly Pick<Contact, 'id' | 'destination'>[],
): Promise<Map<string, ContactUse>> {
  if (contacts.length === 0) return new Map();
  const rows = await sql.query<Row>(READ, [
    orgId,
    contacts.map(({ id }) => id),
    contacts.map(({ destination }) => destination),
  ]);
  return new Map(
    rows.map(({ id, alertCount, since, count, lastAt, state, at, error }) => [
      id,
      {
        alertCount,
        failed: { since, count, lastAt },
        lastDelivery: state && at ? { state, at: at.toISOString(), error } : null,
      },
    ]),
  );
}
