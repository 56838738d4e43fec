import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { ChannelRegistry } from '../../channel/channel.registry';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import { recentTransitions } from '../../delivery/send/delivery-queries';
import { collapseReminders } from '../../delivery/waiting-reminders';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { newUuid } from '../../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { failpoint } from '../../platform/observability/failpoints';
import { SECOND_MS } from '../../platform/time/time-units';
import type { AlertSnapshot } from '../episode/alert-snapshot';
import { reminderNotification } from '../episode/episode';
import {
  type DueFacts,
  lockDue,
  nearReminders,
  nextReminder,
  pushAhead,
  pushSuppressed,
  readFacts,
  remindedOrganizations,
  saveReminded,
} from './reminder-queries';
import { LOOK_EVERY_MS, reminderStep } from './reminder-step';

/** The maximum number of alerts in one transaction. */
const BATCH = 200;
/** How long to wait for locked rows. After that, the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * Sends reminders for open episodes. One transaction locks due alerts, decides, enqueues the deliveries, and saves the
 * next due time. Instances that run at the same time take different alerts, and an instance that is killed has sent all
 * or nothing.
 */
@Injectable()
export class ReminderJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly coverage: MaintenanceCoverage,
    private readonly clock: DatabaseClock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'reminders', run: () => this.run() });
  }

  @Interval(LOOK_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Sends due reminders. Cost: one statement while no open episode has reminders, or four while none is due. */
  async run(): Promise<void> {
    const next = await nextReminder(this.database);
    if (next === null) return;
    const now = this.clock.now();
    await this.pushAllSuppressed(now);
    let count = next <= now ? BATCH : 0;
    while (count === BATCH && !this.job.isStopping) {
      count = await this.database.transaction((tx) => this.remind(tx, now), LIMITS);
      await failpoint('reminder.after_commit');
    }
  }

  /** Postpones the next reminder while an alert is suppressed, so that a full period passes after the suppression. */
  private async pushAllSuppressed(now: Date): Promise<void> {
    await pushSuppressed(this.database, now);
    const orgIds = await remindedOrganizations(this.database);
    const occurrences = await this.coverage.overlapping(this.database, orgIds, now, now);
    const muted = occurrences.filter(({ mute }) => mute).map(({ orgId }) => orgId);
    if (muted.length === 0) return;
    const near = await nearReminders(this.database, [...new Set(muted)], now);
    const held = await this.coverage.mutedAt(this.database, near, now);
    const ids = near.filter(({ endpointId }) => held.has(endpointId)).map(({ id }) => id);
    await pushAhead(this.database, ids, now);
  }

  /** Returns how many alerts were due. */
  private async remind(tx: Tx, now: Date): Promise<number> {
    const alerts = await lockDue(tx, now, BATCH);
    await failpoint('reminder.after_lock');
    if (alerts.length === 0) return 0;
    const ids = alerts.map(({ id }) => id);
    const facts = await readFacts(tx, ids, now);
    const muted = await this.coverage.mutedAt(tx, alerts, now);
    const transitions = await recentTransitions(
      tx,
      alerts.map(({ id, episodeNo }) => ({ queueId: id, episodeNo })),
      now,
    );
    const decided = alerts.map((alert) => {
      const found = facts.get(alert.id);
      const step = reminderStep(
        { ...alert, remindAt: alert.remindAt ?? now },
        {
          isPager: this.channels.isPager(alert.type),
          isTold: found?.isTold === true,
          isSuppressed: found?.isSuppressed === true || muted.has(alert.endpointId),
          transitions: transitions.get(alert.id) ?? 0,
        },
        now,
      );
      const delivery = found && step.is === 'sent' ? reminderOf(alert, found, now) : null;
      return { alert, step, delivery };
    });
    const deliveries = decided.flatMap(({ delivery }) => delivery ?? []);
    await collapseReminders(
      tx,
      deliveries.flatMap(({ alertId }) => alertId ?? []),
      now,
    );
    await this.outbox.enqueue(tx, deliveries);
    await failpoint('reminder.after_enqueue');
    await saveReminded(
      tx,
      decided.map(({ alert: { id, reminders }, step, delivery }) => ({
        id,
        remindAt: step.is === 'over' ? null : step.next,
        reminders: reminders + (delivery ? 1 : 0),
      })),
    );
    await failpoint('reminder.before_commit');
    return alerts.length;
  }
}

/** Returns the reminder's delivery, or `null` for an alert without an open episode. */
function reminderOf(alert: AlertSnapshot, facts: DueFacts, now: Date): NewDelivery | null {
  const { triggerEventId } = alert;
  if (triggerEventId === null) return null;
  const id = newUuid();
  const reminder = { of: triggerEventId, ordinal: alert.reminders + 1 };
  return {
    id,
    orgId: alert.orgId,
    alertId: alert.id,
    contactId: alert.contactId,
    eventId: null,
    reminder,
    kind: 'reminder',
    episodeNo: alert.episodeNo,
    channelType: alert.type,
    destination: destinationOfAlert(alert),
    notification: reminderNotification(alert, { ...facts, ...reminder, id }, now),
    config: null,
  };
}
