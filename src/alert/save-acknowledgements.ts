import type { InHand } from '../incident/incident-in-hand';
import { storedName } from '../platform/access/author';
import type { Tx } from '../platform/database/database';

/** An endpoint's acknowledgement: its own, or through its incident (`incidentId`). IDs are UUIDs. */
export interface StoredAcknowledgement extends InHand {
  orgId: string;
  endpointId: string;
  incidentId: string | null;
}

/** Saves acknowledgements and replaces existing ones. Cost: one statement, or none if the list is empty. */
export async function saveAcknowledgements(tx: Tx, rows: readonly StoredAcknowledgement[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, person_id, at, note, until, incident_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::timestamptz[], $6::text[], $7::timestamptz[], $8::uuid[])
     ON CONFLICT (endpoint_id) DO UPDATE SET by_name = EXCLUDED.by_name, person_id = EXCLUDED.person_id, at = EXCLUDED.at,
       note = EXCLUDED.note, until = EXCLUDED.until, incident_id = EXCLUDED.incident_id`,
    [
      rows.map(({ endpointId }) => endpointId),
      rows.map(({ orgId }) => orgId),
      rows.map(storedName),
      rows.map(({ personId }) => personId),
      rows.map(({ at }) => at),
      rows.map(({ note }) => note),
      rows.map(({ until }) => until),
      rows.map(({ incidentId }) => incidentId),
    ],
  );
}
