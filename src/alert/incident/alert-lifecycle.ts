import { Injectable, type OnModuleInit } from '@nestjs/common';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import type { SealedConfig } from '../../delivery/sealed-config';
import { EndpointsStopped } from '../../endpoint/endpoint-events';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Clock } from '../../platform/time/clock';
import { WebsitePurge } from '../../website/website-events';
import type { Alert } from '../alert.entity';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import { endAcknowledgements, endOverAcknowledgements } from './held-alerts';
import { IncidentRecorder } from './incident-recorder';

/** Events that one statement removes with their website. */
const EVENT_BATCH = 1000;

type StopReason = 'disabled' | 'deleted';

/** What a client's change makes of an alert. */
export interface AlertEdit {
  enabled: boolean;
  type: string;
  config: SealedConfig;
  destination: string | null;
  /** True when notifications would go elsewhere or look different than before. */
  hasNewConfig: boolean;
}

/**
 * What happens to open incidents when a client, not a check, ends them: the alert, its endpoint or its website is
 * disabled or deleted, or the alert gets another type or config. With them ends what somebody had acknowledged. All of it
 * inside the transaction of the change.
 */
@Injectable()
export class AlertLifecycle implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly incidents: IncidentRecorder,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsStopped, (event, tx) => this.stopAlertsOf(tx, event));
    this.events.on(WebsitePurge, (step, tx) => deleteEvents(tx, step));
  }

  /**
   * Saves a client's change of a locked alert. Disabling closes the open incident. So does another type or config: the
   * resolve goes through the old one, and the next failing result over the threshold opens a new incident with the new
   * one. Only when the trigger certainly has not arrived anywhere the incident stays open: it goes through the new config.
   */
  async change(tx: Tx, alert: Alert, edit: AlertEdit, save: () => Promise<unknown>): Promise<void> {
    const [open] = alert.triggered ? await tx.query<AlertSnapshot>(lockAlertsSql('a.id = $1'), [alert.id]) : [];
    const isStopped = alert.enabled && !edit.enabled;
    if (edit.hasNewConfig) await this.outbox.alertChanging(tx, alert.id, alert.config);
    if (isStopped) await this.outbox.cancelPendingTriggers(tx, [alert.id], 'disabled');
    await save();
    if (edit.hasNewConfig && !isStopped) await this.redirect(tx, alert.id, edit);
    if (!open || (!isStopped && !(edit.hasNewConfig && !(await goesThroughPresentConfig(tx, open))))) return;
    await this.close(tx, [open], 'disabled', edit.hasNewConfig);
    await endOverAcknowledgements(tx, [open.endpointId]);
  }

  /** To be called before a locked alert is deleted: its pending deliveries keep its config. */
  async deleting(tx: Tx, alertId: string): Promise<void> {
    const alerts = await tx.query<AlertSnapshot>(lockAlertsSql('a.id = $1'), [alertId]);
    await this.stop(tx, alerts, 'deleted');
    const open = alerts.filter(({ triggered }) => triggered);
    await endOverAcknowledgements(
      tx,
      open.map(({ endpointId }) => endpointId),
    );
  }

  private async stopAlertsOf(tx: Tx, { orgId, endpointIds, reason }: EndpointsStopped): Promise<void> {
    const alerts = await tx.query<AlertSnapshot>(lockAlertsSql('a.org_id = $1 AND a.endpoint_id = ANY ($2::uuid[])'), [
      orgId,
      endpointIds,
    ]);
    await this.stop(tx, alerts, reason);
    await endAcknowledgements(tx, endpointIds);
    if (reason === 'deleted') {
      // In one statement: left to the foreign key it would be one for each endpoint.
      await tx.query('DELETE FROM alert WHERE id = ANY ($1::uuid[])', [alerts.map(({ id }) => id)]);
    }
  }

  private async stop(tx: Tx, alerts: readonly AlertSnapshot[], reason: StopReason): Promise<void> {
    if (alerts.length === 0) return;
    const ids = alerts.map(({ id }) => id);
    await this.outbox.cancelPendingTriggers(tx, ids, reason);
    if (reason === 'deleted') await this.outbox.alertsDeleting(tx, ids);
    await this.close(
      tx,
      alerts.filter(({ triggered }) => triggered),
      reason,
      reason === 'deleted',
    );
  }

  private async redirect(tx: Tx, id: string, { type, destination: known }: AlertEdit): Promise<void> {
    const destination = destinationOfAlert({ id, destination: known });
    await this.outbox.alertChanged(tx, id, { channelType: type, destination });
  }

  private async close(tx: Tx, open: readonly AlertSnapshot[], reason: StopReason, pinConfig: boolean): Promise<void> {
    if (open.length === 0) return;
    const streaks = await readStreaks(tx, open);
    const at = this.clock.now();
    const changes = open.map((alert) => {
      const { failures, successes } = streaks.get(alert.endpointId) ?? { failures: 0, successes: 0 };
      return {
        alert,
        decided: [
          {
            transition: 'resolve' as const,
            reason,
            failureCount: failures,
            successCount: successes,
            at,
            failingSince: null,
            isDegraded: false,
            error: null,
            check: null,
          },
        ],
        pinConfig,
      };
    });
    await this.incidents.record(tx, changes);
  }
}

interface StreakCounts {
  failures: number;
  successes: number;
}

async function readStreaks(tx: Tx, alerts: readonly AlertSnapshot[]): Promise<Map<string, StreakCounts>> {
  const rows = await tx.query<StreakCounts & { id: string }>(
    `SELECT endpoint_id AS id, consecutive_failures AS failures, consecutive_successes AS successes
     FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[])`,
    [alerts.map(({ endpointId }) => endpointId)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** True when the incident's trigger is still pending and not tied to an earlier config. */
async function goesThroughPresentConfig(tx: Tx, open: AlertSnapshot): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM notification
     WHERE event_id = $1 AND kind = 'triggered' AND state = 'pending' AND config IS NULL`,
    [open.triggerEventId],
  );
  return rows.length > 0;
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
