import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EndpointsStopped } from '../../endpoint/endpoint-events';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Clock } from '../../platform/time/clock';
import { WebsiteDeleted } from '../../website/website-events';
import { AlertDestinations } from '../../delivery/destination';
import { type AlertSnapshot, lockAlertsSql } from './alert-snapshot';
import type { Alert } from '../alert.entity';
import { IncidentRecorder } from './incident-recorder';
import { Outbox } from '../../delivery/outbox';
import type { SealedConfig } from '../../delivery/sealed-config';

type StopReason = 'disabled' | 'deleted';

/** What a client's change makes of an alert. */
export interface AlertEdit {
  enabled: boolean;
  type: string;
  config: SealedConfig;
  /** True when messages would go elsewhere or look otherwise than before. */
  hasNewConfig: boolean;
}

/**
 * What happens to open incidents when somebody, not a check, ends them: the alert, its endpoint or its website is
 * switched off or deleted, or the alert gets another type or config. All of it inside the transaction of the change.
 */
@Injectable()
export class AlertLifecycle implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly incidents: IncidentRecorder,
    private readonly outbox: Outbox,
    private readonly destinations: AlertDestinations,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsStopped, (event, tx) => this.stopAlertsOf(tx, event));
    this.events.on(WebsiteDeleted, ({ websiteId }, tx) => deleteEvents(tx, websiteId));
  }

  /**
   * Saves a client's change of a locked alert. Disabling closes the open incident. So does another type or config, told
   * through the old one; the next failing result over the threshold opens a new incident with the new one. Only when the
   * trigger surely has not arrived anywhere does the incident stay open: then it goes out through the new config.
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
  }

  /** To be called before a locked alert is deleted: what it owes keeps its config. */
  async deleting(tx: Tx, alertId: string): Promise<void> {
    await this.stop(tx, await tx.query<AlertSnapshot>(lockAlertsSql('a.id = $1'), [alertId]), 'deleted');
  }

  private async stopAlertsOf(tx: Tx, { orgId, endpointIds, reason }: EndpointsStopped): Promise<void> {
    const subjects = await tx.query<AlertSnapshot>(
      lockAlertsSql('a.org_id = $1 AND a.endpoint_id = ANY ($2::uuid[])'),
      [orgId, endpointIds],
    );
    await this.stop(tx, subjects, reason);
  }

  private async stop(tx: Tx, subjects: readonly AlertSnapshot[], reason: StopReason): Promise<void> {
    if (subjects.length === 0) return;
    const ids = subjects.map(({ id }) => id);
    await this.outbox.cancelPendingTriggers(tx, ids, reason);
    if (reason === 'deleted') await this.outbox.alertsEnding(tx, ids);
    await this.close(
      tx,
      subjects.filter(({ triggered }) => triggered),
      reason,
      reason === 'deleted',
    );
  }

  private async redirect(tx: Tx, id: string, { type, config }: AlertEdit): Promise<void> {
    const destination = this.destinations.of({ id, type, config });
    await this.outbox.alertChanged(tx, id, { channelType: type, destination });
  }

  private async close(tx: Tx, open: readonly AlertSnapshot[], reason: StopReason, pinConfig: boolean): Promise<void> {
    if (open.length === 0) return;
    const streaks = await readStreaks(tx, open);
    const at = this.clock.now();
    const changes = open.map((subject) => {
      const { failures, successes } = streaks.get(subject.endpointId) ?? { failures: 0, successes: 0 };
      return {
        subject,
        decided: [
          {
            transition: 'resolve' as const,
            reason,
            failureCount: failures,
            successCount: successes,
            at,
            failingSince: null,
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

interface Streaks {
  failures: number;
  successes: number;
}

async function readStreaks(tx: Tx, subjects: readonly AlertSnapshot[]): Promise<Map<string, Streaks>> {
  const rows = await tx.query<Streaks & { id: string }>(
    `SELECT endpoint_id AS id, consecutive_failures AS failures, consecutive_successes AS successes
     FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[])`,
    [subjects.map(({ endpointId }) => endpointId)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** True when the incident's trigger still waits to be sent and is not tied to an earlier config. */
async function goesThroughPresentConfig(tx: Tx, open: AlertSnapshot): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM notification
     WHERE event_id = $1 AND kind = 'triggered' AND state = 'pending' AND config IS NULL`,
    [open.triggerEventId],
  );
  return rows.length > 0;
}

/** Events name their website by id only, so that they outlive alerts and endpoints, but not the website. */
async function deleteEvents(tx: Tx, websiteId: string): Promise<void> {
  await tx.query('DELETE FROM alert_event WHERE website_id = $1', [websiteId]);
}
