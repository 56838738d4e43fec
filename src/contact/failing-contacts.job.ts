import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Notification } from '../channel/notification';
import { ChannelRegistry } from '../channel/channel.registry';
import type { NewDelivery } from '../delivery/delivery';
import { destinationOfAlert } from '../delivery/destination';
import { Outbox } from '../delivery/outbox';
import { Config } from '../platform/config/config';
import { type Tx, WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { formatId, newUuid } from '../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { failpoint } from '../platform/observability/failpoints';
import { MINUTE_MS, SECOND_MS } from '../platform/time/time-units';
import { type DefaultContact, toldOf } from './failing';
import { defaultContacts, lockNewlyFailing, markTold, type NewlyFailing } from './failing-queries';

const LOOK_EVERY_MS = 5 * MINUTE_MS;
/** The number of contacts per transaction. There are at most ten times as many deliveries. */
const BATCH = 100;
/** A locked row is skipped after this time, and the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * Notifies the other default contacts of an organization that one of its contacts has been failing for days, once per
 * failure. The deliveries and the mark are committed together. So a killed instance has created either all of them or
 * none, and only one of several instances creates them.
 */
@Injectable()
export class FailingContactsJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
    private readonly config: Config,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'failing-contacts', run: () => this.run() });
  }

  @Interval(LOOK_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Cost: one statement if there is no new failure. */
  async run(): Promise<void> {
    if (!this.config.tellFailingContacts) return;
    for (let found = BATCH; found === BATCH && !this.job.isStopping;)
      found = await this.database.transaction((tx) => this.tell(tx), LIMITS);
  }

  /**
   * Returns the number of failing contacts. They are also marked if no one can be notified, because the overview shows
   * them.
   */
  private async tell(tx: Tx): Promise<number> {
    const now = this.clock.now();
    const failing = await lockNewlyFailing(tx, now, BATCH);
    if (failing.length === 0) return 0;
    const defaults = await defaultContacts(tx, [...new Set(failing.map(({ orgId }) => orgId))]);
    const isPager = (type: string) => this.channels.isPager(type);
    await this.outbox.enqueue(
      tx,
      failing.flatMap((contact) =>
        toldOf(contact.id, defaults.get(contact.orgId) ?? [], isPager, now).map((told) =>
          deliveryOf(contact, told, now),
        ),
      ),
    );
    await failpoint('failing_contacts.after_enqueue');
    await markTold(tx, failing);
    return failing.length;
  }
}

function deliveryOf(failing: NewlyFailing, told: DefaultContact, now: Date): NewDelivery {
  const id = newUuid();
  return {
    id,
    orgId: failing.orgId,
    alertId: null,
    contactId: told.id,
    eventId: null,
    kind: 'contact_failing',
    episodeNo: 0,
    channelType: told.type,
    destination: destinationOfAlert(told),
    notification: failingNotification(failing, id, now),
    config: null,
  };
}

const failingNotification = (
  { id, name, type, since, count, error }: NewlyFailing,
  deliveryId: string,
  now: Date,
): Notification => ({
  kind: 'contact_failing',
  id: formatId('delivery', deliveryId),
  incidentKey: `${formatId('contact', id)}-failing-${since.toISOString()}`,
  triggerId: null,
  repeat: false,
  contact: { id: formatId('contact', id), name },
  failing: { type, attempts: count, error },
  alert: { id: '', description: '' },
  endpoint: { id: '', name: '', url: '', type: '' },
  website: { id: '', name: '', url: '' },
  condition: 'down',
  isDegraded: false,
  reason: null,
  error: null,
  failureCount: 0,
  successCount: 0,
  startedAt: since.toISOString(),
  createdAt: now.toISOString(),
  durationSeconds: Math.round((now.getTime() - since.getTime()) / SECOND_MS),
  check: null,
  digest: null,
});
