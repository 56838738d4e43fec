import { ApiProperty } from '@nestjs/swagger';
import type { Sql } from '../platform/database/database';
import { formatId } from '../platform/ids/id';
import { DELIVERY_STATES, type DeliveryState } from './delivery';
import {
  contactColumns,
  type DeliveryContactRow,
  type DeliveryContactView,
  toDeliveryContact,
} from './delivery-contact';

/** The result of an alert's newest delivery, or of an event's delivery. */
export class DeliverySummaryView {
  @ApiProperty({ example: 'dl_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ enum: DELIVERY_STATES })
  state!: DeliveryState;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The time of the last attempt. Before the first attempt, the time when the message was queued.',
    example: '2026-11-20T10:00:00.120Z',
  })
  at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The error of the last attempt, without URLs and secrets.',
    example: null,
  })
  error!: string | null;
}

interface SummaryRow {
  owner: string;
  id: string;
  state: DeliveryState;
  at: Date;
  error: string | null;
}

/** Summaries by alert ID or event ID. */
export type Summaries = ReadonlyMap<string, DeliverySummaryView>;

const summaryOf = ({ id, state, at, error }: SummaryRow): DeliverySummaryView => ({
  id: formatId('delivery', id),
  state,
  at: at.toISOString(),
  error,
});

const COLUMNS = `n.id, n.state, COALESCE(n.last_attempt_at, n.created_at) AS at, n.error`;

/**
 * Returns the newest delivery of each alert, including tests. Alerts without a delivery are missing. Cost: one
 * statement, with one lookup in the index `notification_of_alert` per alert.
 */
export async function lastDeliveries(sql: Sql, orgId: string, alertIds: readonly string[]): Promise<Summaries> {
  if (alertIds.length === 0) return new Map();
  const rows = await sql.query<SummaryRow>(
    `SELECT a.id AS owner, n.* FROM unnest($2::uuid[]) AS a (id)
     CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM notification n WHERE n.alert_id = a.id AND n.org_id = $1 ORDER BY n.seq DESC LIMIT 1) n`,
    [orgId, alertIds],
  );
  return new Map(rows.map((row) => [row.owner, summaryOf(row)]));
}

/** The result of an event's message, and its contact. */
export interface EventDelivery {
  delivery: DeliverySummaryView;
  contact: DeliveryContactView | null;
}

/**
 * Returns the delivery for each event. Events without a delivery are missing. Cost: one statement, with one lookup in
 * the unique index `notification_once` and one for the contact per event.
 */
export async function deliveriesOfEvents(
  sql: Sql,
  orgId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, EventDelivery>> {
  if (eventIds.length === 0) return new Map();
  const rows = await sql.query<SummaryRow & DeliveryContactRow>(
    `SELECT n.event_id AS owner, ${COLUMNS}, ${contactColumns('n')} FROM notification n WHERE n.event_id = ANY ($2::uuid[]) AND n.org_id = $1
       AND n.kind <> 'acknowledged'`,
    [orgId, eventIds],
  );
  return new Map(rows.map((row) => [row.owner, { delivery: summaryOf(row), contact: toDeliveryContact(row) }]));
}
