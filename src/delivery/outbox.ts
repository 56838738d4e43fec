import { Injectable } from '@nestjs/common';
import type { Sql, Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { TransactionEvents } from '../platform/events/transaction-events';
import { newUuid } from '../platform/ids/id';
import type { NewDelivery } from './delivery';
import { DeliveriesEnqueued } from './delivery-events';
import { reroute, type Rerouting } from './rerouting';

/**
 * Enqueues the deliveries of alerts. Everything runs in the caller's transaction, which must have locked the rows of
 * the alerts involved. This way, their commit order is the order of `seq`, in which each alert's deliveries are sent.
 */
@Injectable()
export class Outbox {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
  ) {}

  /**
   * Enqueues deliveries. Skips an event that already has a delivery of this kind, and a reminder whose number exists. A
   * delivery's incident is the incident of its event, which must have been written before. A reminder takes it from its
   * trigger. Cost: two statements, regardless of the number of deliveries.
   */
  async enqueue(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const now = this.clock.now();
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination,
         notice, config, contact_id, reminder_of, ordinal, incident_id, next_attempt_at, created_at)
       SELECT d.id, d.org_id, d.alert_id, d.event_id, d.kind, d.incident_no, d.channel_type, d.destination,
         d.notification::jsonb, d.config::jsonb, d.contact_id, d.reminder_of, d.ordinal, e.incident_id, $14, $14
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::int[], $7::text[], $8::text[],
         $9::text[], $10::text[], $11::uuid[], $12::uuid[], $13::int[]) WITH ORDINALITY
         AS d (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination, notification, config,
               contact_id, reminder_of, ordinal, position)
       LEFT JOIN alert_event e ON e.id = COALESCE(d.event_id, d.reminder_of)
       ORDER BY d.position
       ON CONFLICT DO NOTHING`,
      [
        deliveries.map(({ id }) => id ?? newUuid()),
        deliveries.map(({ orgId }) => orgId),
        deliveries.map(({ alertId }) => alertId),
        deliveries.map(({ eventId }) => eventId),
        deliveries.map(({ kind }) => kind),
        deliveries.map(({ episodeNo }) => episodeNo),
        deliveries.map(({ channelType }) => channelType),
        deliveries.map(({ destination }) => destination),
        deliveries.map(({ notification }) => JSON.stringify(notification)),
        deliveries.map(({ config }) => config && JSON.stringify(config)),
        deliveries.map(({ contactId }) => contactId),
        deliveries.map(({ reminder }) => reminder?.of ?? null),
        deliveries.map(({ reminder }) => reminder?.ordinal ?? null),
        now,
      ],
    );
    await this.wakeDestinations(tx, deliveries, now);
  }

  /**
   * Moves pending deliveries. Call this before the alerts switch to another destination. Returns the trigger events
   * that will be sent there. No one has been notified of these episodes yet, so they remain open.
   */
  async reroute(tx: Tx, rerouting: Rerouting): Promise<ReadonlySet<string>> {
    const { triggers, isAnyDue } = await reroute(tx, rerouting, this.clock.now());
    if (isAnyDue) await this.events.emit(new DeliveriesEnqueued(), tx);
    return triggers;
  }

  /** Returns the alerts that have pending deliveries. Cost: one lookup per alert in the index by alert. */
  async withPending(tx: Tx, alertIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ id: string }>(
      `SELECT DISTINCT alert_id AS id FROM notification WHERE alert_id = ANY ($1::uuid[]) AND state = 'pending'`,
      [alertIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Saves the configs of pending deliveries. Call this before alerts are deleted. */
  async alertsDeleting(tx: Tx, alertIds: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE notification n SET config = COALESCE(a.config, c.config), contact_id = a.contact_id
       FROM alert a LEFT JOIN contact c ON c.id = a.contact_id
       WHERE a.id = n.alert_id AND n.alert_id = ANY ($1::uuid[])
         AND n.state = 'pending' AND n.kind <> 'test' AND n.config IS NULL`,
      [alertIds],
    );
  }

  /**
   * Cancels pending triggers and certificate warnings that were certainly not sent yet, because their alert was
   * disabled or is being deleted. A delivery that is currently being sent is completed, but not retried.
   */
  async cancelPendingTriggers(tx: Tx, alertIds: readonly string[], reason: 'disabled' | 'deleted'): Promise<void> {
    await tx.query(
      `UPDATE notification
       SET detail = $2,
         state = CASE WHEN lease_token IS NULL THEN 'superseded' ELSE state END,
         config = CASE WHEN lease_token IS NULL THEN NULL ELSE config END,
         finished_at = CASE WHEN lease_token IS NULL THEN $3::timestamptz ELSE finished_at END
       WHERE alert_id = ANY ($1::uuid[]) AND kind IN ('triggered', 'expiry') AND state = 'pending' AND NOT may_have_arrived`,
      [alertIds, reason, this.clock.now()],
    );
  }

  /**
   * Makes these destinations due at `at` at the latest. Locks them in a fixed order to prevent deadlocks between
   * callers.
   */
  async wakeDestinations(
    tx: Tx,
    destinations: readonly Pick<NewDelivery, 'orgId' | 'destination' | 'channelType'>[],
    at: Date,
  ): Promise<void> {
    const distinct = new Map(destinations.map((one) => [`${one.orgId} ${one.destination}`, one]));
    const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    if (sorted.length === 0) return;
    await tx.query(
      `INSERT INTO notification_destination AS d (org_id, destination, channel_type, due_at)
       SELECT s.org_id, s.destination, s.channel_type, $4
       FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY
         AS s (org_id, destination, channel_type, position)
       ORDER BY s.position
       ON CONFLICT (org_id, destination) DO UPDATE SET due_at = LEAST(d.due_at, EXCLUDED.due_at)`,
      [
        sorted.map(({ orgId }) => orgId),
        sorted.map(({ destination }) => destination),
        sorted.map(({ channelType }) => channelType),
        at,
      ],
    );
    await this.events.emit(new DeliveriesEnqueued(), tx);
  }
}

/**
 * Makes every destination due that has pending deliveries but no due time. This is safe at any time, because a
 * destination being due changes nothing else.
 */
export async function wakeForgotten(sql: Sql, now: Date): Promise<void> {
  await sql.query(
    `INSERT INTO notification_destination AS d (org_id, destination, channel_type, due_at)
     SELECT n.org_id, n.destination, min(n.channel_type), $1 FROM notification n
     WHERE n.state = 'pending'
     GROUP BY n.org_id, n.destination
     ORDER BY n.org_id, n.destination
     ON CONFLICT (org_id, destination) DO UPDATE SET due_at = COALESCE(d.due_at, EXCLUDED.due_at)`,
    [now],
  );
}
