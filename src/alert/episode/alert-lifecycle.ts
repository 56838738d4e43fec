import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ContactRoute, ContactRouteChanged } from '../../contact/contact-events';
import { Outbox } from '../../delivery/outbox';
import { renewSnapshots } from '../../delivery/rerouting';
import { isSameDestination, type Route } from '../../delivery/route';
import { EndpointsStopped } from '../../endpoint/endpoint-events';
import { heldMembers, type Leaving } from '../../incident/incident-queries';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import { OrganizationPurge } from '../../identity/organization/organization-events';
import { WebsitePurge } from '../../website/website-events';
import type { Alert } from '../alert.entity';
import { type LockedAlert, lockSql, type OpenAlert, readOpen } from './alert-snapshot';
import { endAcknowledgements, endOverAcknowledgements } from '../suppression/suppression-queries';
import { EpisodeRecorder } from './episode-recorder';

/** The maximum number of events that one statement removes together with their website. */
const EVENT_BATCH = 1000;

type StopReason = 'disabled' | 'deleted';

export interface AlertEdit {
  enabled: boolean;
  before: Route;
  /** The destination after the change, or `null` if it doesn't change. */
  after: Route | null;
}

/**
 * Ends open episodes when a client causes the end instead of a check. This happens if the alert, its endpoint, or its
 * website is disabled or deleted, or if the alert's destination changes. Acknowledgements end with them. All of this
 * happens inside the transaction that makes the change, with as many statements for thousands of alerts as for one.
 */
@Injectable()
export class AlertLifecycle implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly episodes: EpisodeRecorder,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsStopped, (event, tx) => this.stopAlertsOf(tx, event));
    this.events.on(ContactRouteChanged, (event, tx) => this.rerouteAlertsOf(tx, event));
    this.events.on(WebsitePurge, (step, tx) => deleteEvents(tx, step));
    this.events.on(OrganizationPurge, (step, tx) => deleteRemainingEvents(tx, step));
  }

  /**
   * Saves a client's change to a locked alert. Disabling the alert closes the open episode. So does another
   * destination: the resolve is sent through the old config, and the next failed result opens a new episode with the
   * new one. If the trigger was certainly not delivered anywhere, the episode remains open and the trigger is sent
   * through the new config. A change of credentials or format for the same destination closes nothing.
   */
  async change(tx: Tx, alert: Alert, edit: AlertEdit, save: () => Promise<unknown>): Promise<void> {
    const { before, after } = edit;
    const isStopped = alert.enabled && !edit.enabled;
    // This is read before the change is saved, because the resolve describes the previous state.
    const open = after || isStopped ? await readOpen(tx, [alert]) : [];
    const alerts = { orgId: alert.orgId, alertIds: [alert.id] };
    const moved = after ? await this.outbox.reroute(tx, { ...alerts, before, after, isStopped }) : NONE;
    if (isStopped) await this.outbox.cancelPendingTriggers(tx, [alert.id], 'disabled');
    await save();
    if (!after || isSameDestination(before, after)) {
      const { contactId } = after ?? before;
      if (isStopped) await this.closeAndEnd(tx, through(open, contactId), null);
    } else await this.closeAndEnd(tx, isStopped ? open : withoutMoved(open, moved), before);
  }

  /** Call this before a locked alert is deleted. Its pending deliveries keep its config. */
  async deleting(tx: Tx, alertId: string): Promise<void> {
    const alerts = await tx.query<LockedAlert>(lockSql('a.id = $1'), [alertId]);
    await this.stop(tx, alerts, 'deleted');
    const open = alerts.filter(({ triggered }) => triggered);
    await endOverAcknowledgements(
      tx,
      open.map(({ endpointId }) => endpointId),
    );
  }

  private async stopAlertsOf(tx: Tx, { orgId, endpointIds, reason }: EndpointsStopped): Promise<void> {
    const alerts = await tx.query<LockedAlert>(lockSql('a.org_id = $1 AND a.endpoint_id = ANY ($2::uuid[])'), [
      orgId,
      endpointIds,
    ]);
    await this.stop(tx, alerts, reason, await heldMembers(tx, endpointIds, this.clock.now()));
    await endAcknowledgements(tx, endpointIds);
    if (reason === 'deleted') {
      // Uses one statement, because the foreign key would need one for each endpoint.
      await tx.query('DELETE FROM alert WHERE id = ANY ($1::uuid[])', [alerts.map(({ id }) => id)]);
    }
  }

  /** Stops the alerts. `held` contains endpoints without a triggered alert that leave their incident. */
  private async stop(
    tx: Tx,
    alerts: readonly LockedAlert[],
    reason: StopReason,
    held: readonly Leaving[] = [],
  ): Promise<void> {
    if (alerts.length + held.length === 0) return;
    const ids = alerts.map(({ id }) => id);
    await this.outbox.cancelPendingTriggers(tx, ids, reason);
    await this.close(tx, await readOpen(tx, alerts), reason, null, held);
    if (reason === 'deleted') await this.outbox.alertsDeleting(tx, ids);
  }

  /**
   * Works like `change` for all alerts of a contact. Cost: at most eleven statements, and two more if an endpoint is
   * acknowledged.
   */
  private async rerouteAlertsOf(tx: Tx, { orgId, before, after }: ContactRouteChanged): Promise<void> {
    const isSame = isSameDestination(before, after);
    const alerts = await tx.query<LockedAlert>(lockSql('a.contact_id = $1'), [before.contactId]);
    await failpoint('contact.alerts_locked');
    const open = isSame ? [] : await readOpen(tx, alerts);
    const alertIds = alerts.map(({ id }) => id);
    const moved = await this.outbox.reroute(tx, { orgId, alertIds, before, after, isStopped: false });
    if (isSame) await renewSnapshots(tx, orgId, before, after);
    await failpoint('contact.deliveries_rerouted');
    if (!isSame || before.contactId !== after.contactId) await saveRoute(tx, before.contactId, after, this.clock.now());
    await failpoint('contact.alerts_saved');
    await this.closeAndEnd(tx, withoutMoved(open, moved), before);
    await failpoint('contact.episodes_closed');
    tx.afterCommit(() => void failpoint('contact.committed'));
  }

  private async closeAndEnd(tx: Tx, open: readonly OpenAlert[], pinned: Route | null): Promise<void> {
    await this.close(tx, open, 'disabled', pinned);
    await endOverAcknowledgements(
      tx,
      open.map(({ endpointId }) => endpointId),
    );
  }

  private async close(
    tx: Tx,
    open: readonly OpenAlert[],
    reason: StopReason,
    pinned: Route | null,
    held: readonly Leaving[] = [],
  ): Promise<void> {
    const at = this.clock.now();
    const changes = open.map((alert) => ({
      alert,
      decided: [
        {
          transition: 'resolve' as const,
          reason,
          failureCount: alert.failures,
          successCount: alert.successes,
          at,
          failingSince: null,
          endedAt: alert.goodSince,
          isDegraded: false,
          error: null,
          check: null,
        },
      ],
      pinned,
    }));
    await this.episodes.record(tx, changes, held);
  }
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the alerts whose trigger isn't moved to the new config, because it may have been delivered through the old
 * one.
 */
const withoutMoved = (open: readonly OpenAlert[], moved: ReadonlySet<string>): OpenAlert[] =>
  open.filter(({ triggerEventId }) => triggerEventId === null || !moved.has(triggerEventId));

/** Returns the alerts with the contact that their deliveries will use. */
const through = (open: readonly OpenAlert[], contactId: string | null): OpenAlert[] =>
  open.map((alert) => ({ ...alert, contactId }));

/**
 * Writes the new type, destination, and contact to all alerts of a contact, which also changes `updated_at`. If only
 * credentials or the format change, the alerts aren't written. Cost: one row version for each alert.
 */
async function saveRoute(tx: Tx, contactId: string, after: ContactRoute, now: Date): Promise<void> {
  await tx.query(
    'UPDATE alert SET type = $2, destination = $3, contact_id = $4, updated_at = $5 WHERE contact_id = $1',
    [contactId, after.type, after.destination, after.contactId, now],
  );
}

/**
 * Deletes events together with their website. Events only store the website's ID, so that they outlive alerts and
 * endpoints. If an endpoint still exists, it was moved to another website, and its events and alerts are kept.
 */
async function deleteEvents(tx: Tx, step: WebsitePurge): Promise<void> {
  if (step.hasMore) return;
  const removed = await tx.query(
    `DELETE FROM alert_event WHERE id IN (
       SELECT id FROM alert_event v WHERE website_id = $1 AND NOT EXISTS (SELECT FROM endpoint e WHERE e.id = v.endpoint_id)
        ORDER BY id LIMIT ${EVENT_BATCH}) RETURNING 1`,
    [step.websiteId],
  );
  if (removed.length === EVENT_BATCH) step.leave();
}

/**
 * Deletes the remaining events. They belong to a website that was deleted before their endpoint, because the endpoint
 * had been moved. Cost: one batch at a time, by `alert_event_feed`.
 */
async function deleteRemainingEvents(tx: Tx, step: OrganizationPurge): Promise<void> {
  if (step.hasMore) return;
  const removed = await tx.query(
    `DELETE FROM alert_event WHERE id IN (SELECT id FROM alert_event WHERE org_id = $1 ORDER BY id LIMIT ${EVENT_BATCH})
     RETURNING 1`,
    [step.orgId],
  );
  if (removed.length === EVENT_BATCH) step.leave();
}
