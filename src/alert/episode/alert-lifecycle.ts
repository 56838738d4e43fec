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

/** Events that one statement removes with their website. */
const EVENT_BATCH = 1000;

type StopReason = 'disabled' | 'deleted';

/** What a client's change makes of an alert. */
export interface AlertEdit {
  enabled: boolean;
  /** What it notifies through until now. */
  before: Route;
  /** What it notifies through from now on; `null`: the same. */
  after: Route | null;
}

/**
 * What happens to open episodes when a client, not a check, ends them: the alert, its endpoint or its website is
 * disabled or deleted, or the alert notifies somewhere else from now on. With them ends what somebody had acknowledged. All
 * of it inside the transaction of the change, in as many statements for thousands of alerts as for one.
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
   * Saves a client's change of a locked alert. Disabling closes the open episode. So does another destination: the
   * resolve goes through the old config, and the next failing result over the threshold opens a new episode with the new
   * one. Only when the trigger certainly has not arrived anywhere the episode stays open: it goes through the new config.
   * Another credential or look of the same destination closes nothing.
   */
  async change(tx: Tx, alert: Alert, edit: AlertEdit, save: () => Promise<unknown>): Promise<void> {
    const { before, after } = edit;
    const isStopped = alert.enabled && !edit.enabled;
    // Read before the change is saved: the resolve says how things were.
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

  /** To be called before a locked alert is deleted: its pending deliveries keep its config. */
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
      // In one statement: left to the foreign key it would be one for each endpoint.
      await tx.query('DELETE FROM alert WHERE id = ANY ($1::uuid[])', [alerts.map(({ id }) => id)]);
    }
  }

  /** `held`: endpoints without a triggered alert that leave their incident. */
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

  /** What `change` does, for all alerts of a contact: eleven statements at most, two more where something is acknowledged. */
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

/** Those whose trigger does not go through the new config: somebody may have been told through the old one. */
const withoutMoved = (open: readonly OpenAlert[], moved: ReadonlySet<string>): OpenAlert[] =>
  open.filter(({ triggerEventId }) => triggerEventId === null || !moved.has(triggerEventId));

/** What their deliveries say about the contact that they go through from now on. */
const through = (open: readonly OpenAlert[], contactId: string | null): OpenAlert[] =>
  open.map((alert) => ({ ...alert, contactId }));

/**
 * All alerts of a contact show another type, config or contact from now on, which moves `updated_at`; what only changes a
 * credential or the look of messages is not written to them. Cost: a row version for each alert.
 */
async function saveRoute(tx: Tx, contactId: string, after: ContactRoute, now: Date): Promise<void> {
  await tx.query(
    'UPDATE alert SET type = $2, destination = $3, contact_id = $4, updated_at = $5 WHERE contact_id = $1',
    [contactId, after.type, after.destination, after.contactId, now],
  );
}

/**
 * Events name their website by id only, so that they outlive alerts and endpoints; with the website they go too. An endpoint
 * that is still there has moved to another one: its events stay, as its alerts do.
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

/** Those that name a website that went before their endpoint did: it had moved. By `alert_event_feed`, a batch at a time. */
async function deleteRemainingEvents(tx: Tx, step: OrganizationPurge): Promise<void> {
  if (step.hasMore) return;
  const removed = await tx.query(
    `DELETE FROM alert_event WHERE id IN (SELECT id FROM alert_event WHERE org_id = $1 ORDER BY id LIMIT ${EVENT_BATCH})
     RETURNING 1`,
    [step.orgId],
  );
  if (removed.length === EVENT_BATCH) step.leave();
}
