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
/** Contacts of one transaction, and so ten times as many deliveries at most. */
const BATCH = 100;
/** What somebody else holds is waited for no longer: the next look tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * Tells the other default contacts of an organization that one of its contacts has been failing for days, once per failure.
 * Deliveries and the mark that they were made commit together: an instance that is killed has told all or nothing, and of
 * several that look at the same time one tells.
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

  /** One statement while nothing fails that nobody was told of. */
  async run(): Promise<void> {
    if (!this.config.tellFailingContacts) return;
    for (let found = BATCH; found === BATCH && !this.job.isStopping;)
      found = await this.database.transaction((tx) => this.tell(tx), LIMITS);
  }

  /** Returns how many contacts were found. Where nobody can be told they are marked all the same: the overview shows them. */
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
    incidentNo: 0,
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
