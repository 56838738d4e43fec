import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Notification } from '../../channel/notification';
import { ChannelRegistry } from '../../channel/channel.registry';
import type { Caller } from '../../platform/access/caller';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Database, type Tx } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { EgressPolicy } from '../../platform/net/egress/egress-policy';
import { problems } from '../../platform/problem/problem';
import { MINUTE_MS } from '../../platform/time/time-units';
import type { NewDelivery } from '../delivery';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryTestView,
  type DeliveryView,
  toDeliveryTestView,
  toDeliveryView,
} from '../delivery.dto';
import { throughColumn } from '../delivery-contact';
import { Outbox } from '../outbox';
import { type Attempt, LEASE_MS } from './attempt';
import { DeliverySender } from './sender';

const MOST_PER_MINUTE = 10;

/** A test of an alert's channel. `id` is the delivery's UUID, which its notification contains. */
export type NewTest = Omit<NewDelivery, 'eventId' | 'kind' | 'config'> & {
  id: string;
  alertId: string;
  createdAt: Date;
};

export interface UnsavedTest {
  caller: Pick<Caller, 'orgId' | 'isDefaultOrg'>;
  channelType: string;
  /** The destination, or `null` if the channel has none. */
  destination: string | null;
  config: object;
  notification: Notification;
  signal: AbortSignal;
}

/**
 * Sends tests. Each has one attempt, is sent immediately, and is recorded like any delivery. Tests are outside the
 * queue and its rate limit.
 */
@Injectable()
export class TestDeliveries {
  private readonly unsaved: TokenBuckets;

  constructor(
    private readonly database: Database,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly sender: DeliverySender,
    private readonly clock: DatabaseClock,
    private readonly egress: EgressPolicy,
  ) {
    this.unsaved = new TokenBuckets(MOST_PER_MINUTE / 60, MOST_PER_MINUTE, () => clock.monotonic());
  }

  /**
   * Writes the leased delivery. If this process dies, a delivery loop finishes it when the lease expires. The caller
   * must have locked the alert's row. Throws: `rate_limited` after ten tests of the alert in a minute.
   */
  async lease(tx: Tx, test: NewTest): Promise<Attempt> {
    await refuseTooMany(tx, test);
    const token = randomUUID();
    const until = new Date(test.createdAt.getTime() + LEASE_MS);
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, attempts,
         next_attempt_at, last_attempt_at, lease_token, lease_until, created_at, contact_id)
       VALUES ($1, $2, $3, 'test', $4, $5, $6, $7::jsonb || ${throughColumn('$11::uuid', '$2::uuid')}, 1, $8, $8, $9, $10, $8, $11)`,
      [
        test.id,
        test.orgId,
        test.alertId,
        test.episodeNo,
        test.channelType,
        test.destination,
        JSON.stringify(test.notification),
        test.createdAt,
        token,
        until,
        test.contactId,
      ],
    );
    await this.outbox.wakeDestinations(tx, [test], until);
    return this.attemptOf(test, token);
  }

  /** Performs the attempt. Returns the delivery with its outcome. */
  async send(attempt: Attempt): Promise<DeliveryView> {
    await this.sender.send(attempt, new AbortController().signal);
    const [row] = await this.database.query<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM notification WHERE id = ANY ($1::uuid[])`,
      [attempt.deliveries.map(({ end }) => end.id)],
    );
    if (!row) throw problems.notFound();
    return toDeliveryView(row);
  }

  /**
   * Performs one attempt for an alert that isn't saved, without writing anything. Stops when `signal` aborts. Throws:
   * `rate_limited` after ten of them at one destination in a minute, counted per process.
   */
  async sendUnsaved({ caller, channelType, destination, signal, ...sent }: UnsavedTest): Promise<DeliveryTestView> {
    const wait = this.unsaved.take(`${caller.orgId} ${destination ?? channelType}`);
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    const egress = this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    return toDeliveryTestView(await this.sender.attempt(channelType, { ...sent, egress }, signal));
  }

  private attemptOf({ id, orgId, destination, channelType, createdAt }: NewTest, token: string): Attempt {
    return {
      orgId,
      destination,
      channelType,
      token,
      audience: this.channels.receiver(channelType, destination).audience,
      host: null,
      leaseEndsAt: this.clock.monotonic() + LEASE_MS,
      isTest: true,
      parts: [{ kind: 'test', primary: id, merged: null }],
      repeat: false,
      digest: null,
      deliveries: [
        { end: { id, state: 'delivered', detail: null }, attempts: 1, rejections: 0, mayHaveArrived: false, createdAt },
      ],
    };
  }
}

async function refuseTooMany(tx: Tx, { alertId, createdAt }: NewTest): Promise<void> {
  const [recent] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM notification
     WHERE alert_id = $1 AND kind = 'test' AND created_at > $2`,
    [alertId, new Date(createdAt.getTime() - MINUTE_MS)],
  );
  if ((recent?.count ?? 0) >= MOST_PER_MINUTE) throw problems.rateLimited(60);
}
