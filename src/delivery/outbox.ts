import { Injectable } from '@nestjs/common';
import type { Sql, Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { newUuid } from '../platform/ids/id';
import { DAY_MS } from '../platform/time/time-units';
import type { NewDelivery } from './delivery';
import { destinationOfAlert } from './destination';
import type { SealedConfig } from './sealed-config';

/** Another config revives a failed delivery for this long after it was given up. */
const REVIVABLE_MS = DAY_MS;

/**
 * The deliveries of alerts, as alerts write them. Everything here runs in the caller's transaction, which must hold the
 * row locks of the alerts it names: their order of commit is then the order of `seq`, in which each alert's deliveries
 * are sent.
 */
@Injectable()
export class Outbox {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly clock: DatabaseClock) {}

  /** `wake` runs after every commit that left something to deliver. Other instances notice within a second. */
  onEnqueued(wake: () => void): void {
    this.listeners.push(wake);
  }

  /** Two statements, however many deliveries. An event that already has a delivery of this kind gets no second one. */
  async enqueue(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const now = this.clock.now();
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination,
         notice, config, next_attempt_at, created_at)
       SELECT d.id, d.org_id, d.alert_id, d.event_id, d.kind, d.incident_no, d.channel_type, d.destination,
         d.notification::jsonb, d.config::jsonb, $11, $11
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::int[], $7::text[], $8::text[],
         $9::text[], $10::text[]) WITH ORDINALITY
         AS d (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination, notification, config, position)
       ORDER BY d.position
       ON CONFLICT (event_id, kind) DO NOTHING`,
      [
        deliveries.map(() => newUuid()),
        deliveries.map(({ orgId }) => orgId),
        deliveries.map(({ alertId }) => alertId),
        deliveries.map(({ eventId }) => eventId),
        deliveries.map(({ kind }) => kind),
        deliveries.map(({ incidentNo }) => incidentNo),
        deliveries.map(({ channelType }) => channelType),
        deliveries.map(({ destination }) => destination),
        deliveries.map(({ notification }) => JSON.stringify(notification)),
        deliveries.map(({ config }) => config && JSON.stringify(config)),
        now,
      ],
    );
    await this.wakeDestinations(tx, deliveries, now);
  }

  /**
   * To be called before the alert's type or config changes: its pending deliveries keep the config that they were meant
   * for. `storedConfig` is `alert.config` as it still is.
   */
  async alertChanging(tx: Tx, alertId: string, storedConfig: SealedConfig): Promise<void> {
    await tx.query(
      `UPDATE notification SET config = $2::jsonb
       WHERE alert_id = $1 AND state = 'pending' AND kind <> 'test' AND config IS NULL`,
      [alertId, JSON.stringify(storedConfig)],
    );
  }

  /** The same for many alerts that are about to be deleted, whose rows still hold their configs. */
  async alertsDeleting(tx: Tx, alertIds: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE notification n SET config = a.config
       FROM alert a
       WHERE a.id = n.alert_id AND n.alert_id = ANY ($1::uuid[])
         AND n.state = 'pending' AND n.kind <> 'test' AND n.config IS NULL`,
      [alertIds],
    );
  }

  /**
   * To be called after the alert's type or config changed. What certainly never arrived, and what was given up within
   * the last day because the provider refused it, goes out through the new config. An incident whose trigger may have
   * arrived stays with the old one, so that its entry at the pager can be closed.
   */
  async alertChanged(tx: Tx, alertId: string, now: { channelType: string; destination: string }): Promise<void> {
    const at = this.clock.now();
    const revived = await tx.query<{ orgId: string }>(
      `UPDATE notification n
       SET channel_type = $2, destination = $3, config = NULL, state = 'pending', detail = NULL, attempts = 0,
         rejections = 0, next_attempt_at = $4, finished_at = NULL
       WHERE n.alert_id = $1 AND n.kind <> 'test' AND NOT n.may_have_arrived AND n.lease_token IS NULL
         AND (n.state = 'pending'
           OR (n.state = 'failed' AND n.detail IN ('rejected', 'unsendable', 'behind_failed') AND n.finished_at > $5))
         AND NOT EXISTS (
           SELECT 1 FROM notification t
           WHERE t.alert_id = n.alert_id AND t.incident_no = n.incident_no AND t.kind = 'triggered'
             AND (t.state = 'delivered' OR t.may_have_arrived OR t.lease_token IS NOT NULL))
       RETURNING n.org_id AS "orgId"`,
      [alertId, now.channelType, now.destination, at, new Date(at.getTime() - REVIVABLE_MS)],
    );
    await this.wakeDestinations(
      tx,
      revived.map(({ orgId }) => ({ orgId, ...now })),
      at,
    );
  }

  /**
   * To be called after the destinations of alerts became known. What these alerts enqueued before, under a key of their
   * own, joins the destination's queue; deliveries in flight and those with a snapshot of an earlier config stay.
   */
  async destinationsKnown(
    tx: Tx,
    alerts: readonly { id: string; orgId: string; type: string; destination: string }[],
  ): Promise<void> {
    const moved = await tx.query<{ alertId: string }>(
      `UPDATE notification n SET destination = a.destination
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS a (id, own_key, destination)
       WHERE n.alert_id = a.id AND n.destination = a.own_key AND n.state = 'pending' AND n.kind <> 'test'
         AND n.lease_token IS NULL AND n.config IS NULL
       RETURNING n.alert_id AS "alertId"`,
      [
        alerts.map(({ id }) => id),
        alerts.map(({ id }) => destinationOfAlert({ id, destination: null })),
        alerts.map(({ destination }) => destination),
      ],
    );
    const ids = new Set(moved.map(({ alertId }) => alertId));
    const joined = alerts.filter(({ id }) => ids.has(id));
    await this.wakeDestinations(
      tx,
      joined.map(({ orgId, destination, type }) => ({ orgId, destination, channelType: type })),
      this.clock.now(),
    );
  }

  /**
   * Triggers that certainly did not leave yet are not sent any more: their alert was disabled or is being deleted. One
   * that is being sent right now is finished, but not tried again.
   */
  async cancelPendingTriggers(tx: Tx, alertIds: readonly string[], reason: 'disabled' | 'deleted'): Promise<void> {
    await tx.query(
      `UPDATE notification
       SET detail = $2,
         state = CASE WHEN lease_token IS NULL THEN 'superseded' ELSE state END,
         config = CASE WHEN lease_token IS NULL THEN NULL ELSE config END,
         finished_at = CASE WHEN lease_token IS NULL THEN $3::timestamptz ELSE finished_at END
       WHERE alert_id = ANY ($1::uuid[]) AND kind = 'triggered' AND state = 'pending' AND NOT may_have_arrived`,
      [alertIds, reason, this.clock.now()],
    );
  }

  /** Makes these destinations due at `at` at the latest. Locks them in one order, so that callers cannot deadlock. */
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
    tx.afterCommit(() => this.listeners.forEach((wake) => wake()));
  }
}

/** Makes every destination due that has pending deliveries and no due time. Safe at any time: being due changes nothing by itself. */
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
