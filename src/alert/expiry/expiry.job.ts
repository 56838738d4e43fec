import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Notification } from '../../channel/notification';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { formatId, newUuid, NIL_UUID } from '../../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { failpoint } from '../../platform/observability/failpoints';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { subjectOf } from '../episode/alert-subject';
import { type AlertSnapshot, lockAlertsSql } from '../episode/alert-snapshot';
import { type DecidedExpiry, ExpiryDecisions } from './expiry-decisions';
import { certificateNames, endingAfter, endingOf, saveTold } from './expiry-queries';
import type { ExpiryStep } from './expiry-step';

const LOOK_EVERY_MS = 5 * MINUTE_MS;
/** The maximum number of alerts in one transaction. */
const BATCH = 200;
/** How long to wait for locked rows. After that, the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * Sends notifications about expiring certificates through every enabled alert for people or webhooks, once at each
 * step. Deliveries and the record that they were sent are committed together while the alerts are locked. An instance
 * that is killed has sent all or nothing, and if several run at the same time, only one sends.
 */
@Injectable()
export class ExpiryJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly decisions: ExpiryDecisions,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
    private readonly config: Config,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'certificate-expiry', run: () => this.run() });
  }

  @Interval(LOOK_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Looks for expiring certificates. Cost: one statement while no certificate expires soon. */
  async run(): Promise<void> {
    if (!this.config.tellEndingCertificates) return;
    let after = NIL_UUID;
    for (let found = BATCH; found === BATCH && !this.job.isStopping;) {
      const now = this.clock.now();
      const page = await endingAfter(this.database, now, after, BATCH);
      found = page.length;
      after = page.at(-1)?.id ?? after;
      const due = dueOf(await this.decisions.of(this.database, page, now)).map(({ id }) => id);
      if (due.length > 0) await this.database.transaction((tx) => this.tell(tx, due), LIMITS);
      await failpoint('certificate_expiry.after_commit');
    }
  }

  /** Decides again while the alerts are locked, and sends. */
  private async tell(tx: Tx, ids: readonly string[]): Promise<void> {
    const now = this.clock.now();
    const alerts = await tx.query<AlertSnapshot>(lockAlertsSql('a.id = ANY ($1::uuid[])'), [ids]);
    const due = dueOf(await this.decisions.of(tx, await endingOf(tx, now, ids), now));
    const sent = new Map(due.flatMap((row) => (row.step.is === 'sent' ? [[row.id, row] as const] : [])));
    const names = sent.size > 0 ? await certificateNames(tx, [...sent.values()]) : new Map();
    await this.outbox.enqueue(
      tx,
      alerts.flatMap((alert) => {
        const row = sent.get(alert.id);
        return row ? [deliveryOf(alert, row, names.get(row.endpointId) ?? null, now)] : [];
      }),
    );
    await failpoint('certificate_expiry.after_enqueue');
    await saveTold(
      tx,
      due.map(({ id, expiresAt, step }) => ({ id, expiresAt, step: step.step })),
    );
  }
}

type Due = DecidedExpiry & { step: Extract<ExpiryStep, { step: number }> };
const dueOf = (rows: readonly DecidedExpiry[]): Due[] => rows.filter((row): row is Due => 'step' in row.step);

function deliveryOf(
  alert: AlertSnapshot,
  { expiresAt, step: { daysLeft } }: Due,
  names: { subject: string; issuer: string } | null,
  now: Date,
): NewDelivery {
  const id = newUuid();
  const at = expiresAt.toISOString();
  const notification: Notification = {
    kind: 'expiry',
    id: formatId('delivery', id),
    incidentKey: `${formatId('alert', alert.id)}-certificate-${at}`,
    triggerId: null,
    repeat: false,
    ...subjectOf(alert),
    isDegraded: false,
    reason: null,
    error: null,
    failureCount: 0,
    successCount: 0,
    startedAt: null,
    createdAt: now.toISOString(),
    durationSeconds: null,
    certificate: { subject: names?.subject ?? null, issuer: names?.issuer ?? null, expiresAt: at, daysLeft },
    check: null,
    digest: null,
  };
  return {
    id,
    orgId: alert.orgId,
    alertId: alert.id,
    contactId: alert.contactId,
    eventId: null,
    kind: 'expiry',
    episodeNo: 0,
    channelType: alert.type,
    destination: destinationOfAlert(alert),
    notification,
    config: null,
  };
}
