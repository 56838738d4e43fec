import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database';
import { newUuid } from '../platform/ids/id';
import { DatabaseClock } from '../platform/database/database-clock';
import type { NewDelivery } from './delivery';
import type { SealedConfig } from './sealed-config';

export type { NewDelivery as OwedMessage } from './delivery';

/** A parked message is revived by another config this long after it was given up. */
const REVIVABLE_MS = 24 * 3_600_000;

/**
 * The messages that alerts owe. Everything here runs in the caller's transaction, which must hold the row locks of the
 * alerts it names: their order of commit is then the order of `seq`, in which each alert's messages are told.
 */
@Injectable()
export class Outbox {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly clock: DatabaseClock) {}

  /** `wake` runs after every commit that left something to deliver; instances without a listener's loop rely on its tick. */
  onEnqueued(wake: () => void): void {
    this.listeners.push(wake);
  }

  /** Two statements, however many messages. An event that already owes this kind of message is left alone. */
  async enqueue(tx: Tx, messages: readonly NewDelivery[]): Promise<void> {
    if (messages.length === 0) return;
    const now = this.clock.now();
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination,
         notice, config, next_attempt_at, created_at)
       SELECT m.id, m.org_id, m.alert_id, m.event_id, m.kind, m.incident_no, m.channel_type, m.destination,
         m.notice::jsonb, m.config::jsonb, $11, $11
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::int[], $7::text[], $8::text[],
         $9::text[], $10::text[]) WITH ORDINALITY
         AS m (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination, notice, config, place)
       ORDER BY m.place
       ON CONFLICT (event_id, kind) DO NOTHING`,
      [
        messages.map(() => newUuid()),
        messages.map(({ orgId }) => orgId),
        messages.map(({ alertId }) => alertId),
        messages.map(({ eventId }) => eventId),
        messages.map(({ kind }) => kind),
        messages.map(({ incidentNo }) => incidentNo),
        messages.map(({ channelType }) => channelType),
        messages.map(({ destination }) => destination),
        messages.map(({ notice }) => JSON.stringify(notice)),
        messages.map(({ config }) => config && JSON.stringify(config)),
        now,
      ],
    );
    await this.wakeDestinations(tx, messages, now);
  }

  /**
   * To be called before the alert's type or config changes and before the alert is deleted: what it still owes goes
   * where it was meant to go. `storedConfig` is `alert.config` as it still is.
   */
  async alertChanging(tx: Tx, alertId: string, storedConfig: SealedConfig): Promise<void> {
    await tx.query(
      `UPDATE notification SET config = $2::jsonb
       WHERE alert_id = $1 AND state = 'pending' AND kind <> 'test' AND config IS NULL`,
      [alertId, JSON.stringify(storedConfig)],
    );
  }

  /** The same for many alerts that are about to be deleted, whose rows still hold their configs. */
  async alertsEnding(tx: Tx, alertIds: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE notification n SET config = a.config
       FROM alert a
       WHERE a.id = n.alert_id AND n.alert_id = ANY ($1::uuid[])
         AND n.state = 'pending' AND n.kind <> 'test' AND n.config IS NULL`,
      [alertIds],
    );
  }

  /**
   * To be called after the alert's type or config changed. What surely never arrived, and what was parked within the
   * last day because the provider refused it, goes out through the new config. An incident that may have been told
   * stays with the old one, so that its pager entry can be closed.
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
   * Triggers that surely did not leave yet are not told any more: their alert was disabled or is being deleted. One
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

  /** Makes the delivery loops look at these destinations now. Locks them in order: several callers never wait in a circle. */
  async wakeDestinations(
    tx: Tx,
    places: readonly Pick<NewDelivery, 'orgId' | 'destination' | 'channelType'>[],
    at: Date,
  ): Promise<void> {
    const distinct = new Map(places.map((place) => [`${place.orgId} ${place.destination}`, place]));
    const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
    if (sorted.length === 0) return;
    await tx.query(
      `INSERT INTO notification_destination AS d (org_id, destination, channel_type, due_at)
       SELECT p.org_id, p.destination, p.channel_type, $4
       FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS p (org_id, destination, channel_type, place)
       ORDER BY p.place
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
