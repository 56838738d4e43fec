import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Notification } from '../channel/channel';
import { ChannelRegistry } from '../channel/channel.registry';
import { recordChange } from '../audit/audit-log';
import { Database, type Tx } from '../platform/database/database';
import { formatId, newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { AlertDestinations } from '../delivery/destination';
import { type AlertSnapshot, lockAlertsSql } from './incident/alert-snapshot';
import { DatabaseClock } from '../platform/database/database-clock';
import { DELIVERY_COLUMNS, type DeliveryRow, type DeliveryView, toDeliveryView } from '../delivery/delivery.dto';
import { Outbox } from '../delivery/outbox';
import { DeliverySender } from '../delivery/send/sender';
import { LEASE_MS, type Attempt } from '../delivery/send/attempt';

const MOST_PER_MINUTE = 10;

/** Test messages: one attempt, now, recorded like any delivery. They stand beside the queue and its rate limit. */
@Injectable()
export class TestAlertService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelRegistry,
    private readonly destinations: AlertDestinations,
    private readonly outbox: Outbox,
    private readonly sender: DeliverySender,
    private readonly clock: DatabaseClock,
  ) {}

  /** Answers after the attempt. Throws `not_found`, and `rate_limited` after ten messages in a minute. */
  async send(orgId: string, alertId: string): Promise<DeliveryView> {
    const { id, shipment } = await this.database.transaction((tx) => this.lease(tx, orgId, alertId));
    await this.sender.send(shipment, new AbortController().signal);
    const [row] = await this.database.query<DeliveryRow>(`SELECT ${DELIVERY_COLUMNS} FROM notification WHERE id = $1`, [
      id,
    ]);
    if (!row) throw problems.notFound();
    return toDeliveryView(row);
  }

  /** The row is written under its lease: should this process die, the delivery loop closes it when the lease is over. */
  private async lease(tx: Tx, orgId: string, alertId: string): Promise<{ id: string; shipment: Attempt }> {
    const [subject] = await tx.query<AlertSnapshot>(lockAlertsSql('a.org_id = $1 AND a.id = $2'), [orgId, alertId]);
    if (!subject) throw problems.notFound();
    const now = this.clock.now();
    await refuseTooMany(tx, alertId, now);
    const [id, token] = [newUuid(), randomUUID()];
    const until = new Date(now.getTime() + LEASE_MS);
    const place = { orgId, destination: this.destinations.of(subject), channelType: subject.type };
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, attempts,
         next_attempt_at, last_attempt_at, lease_token, lease_until, created_at)
       VALUES ($1, $2, $3, 'test', $4, $5, $6, $7, 1, $8, $8, $9, $10, $8)`,
      [
        id,
        orgId,
        alertId,
        subject.incidentNo,
        place.channelType,
        place.destination,
        JSON.stringify(testNotice(subject, id, now)),
        now,
        token,
        until,
      ],
    );
    await this.outbox.wakeDestinations(tx, [place], until);
    await recordChange(tx, { orgId, action: 'test', resource: 'alert', id: alertId });
    return { id, shipment: this.shipment(place, id, token, now) };
  }

  private shipment(
    place: Pick<Attempt, 'orgId' | 'destination' | 'channelType'>,
    id: string,
    token: string,
    createdAt: Date,
  ): Attempt {
    const { channelType } = place;
    return {
      ...place,
      token,
      audience: this.channels.has(channelType) ? this.channels.get(channelType).audience : 'chat',
      host: null,
      leaseEndsAt: this.clock.monotonic() + LEASE_MS,
      isTest: true,
      messages: [{ kind: 'test', primary: id, merged: null }],
      repeat: false,
      digest: null,
      rows: [
        { end: { id, state: 'delivered', detail: null }, attempts: 1, rejections: 0, mayHaveArrived: false, createdAt },
      ],
    };
  }
}

async function refuseTooMany(tx: Tx, alertId: string, now: Date): Promise<void> {
  const [recent] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM notification
     WHERE alert_id = $1 AND kind = 'test' AND created_at > $2`,
    [alertId, new Date(now.getTime() - 60_000)],
  );
  if ((recent?.count ?? 0) >= MOST_PER_MINUTE) throw problems.rateLimited(60);
}

const testNotice = (subject: AlertSnapshot, id: string, now: Date): Notification => ({
  kind: 'test',
  id: formatId('delivery', id),
  incidentKey: `${formatId('alert', subject.id)}-test-${formatId('delivery', id)}`,
  triggerId: null,
  repeat: false,
  alert: { id: formatId('alert', subject.id), description: subject.description },
  endpoint: {
    id: formatId('endpoint', subject.endpointId),
    name: subject.endpointName,
    url: subject.endpointUrl,
    type: subject.endpointType,
  },
  website: { id: formatId('website', subject.websiteId), name: subject.websiteName, url: subject.websiteUrl },
  reason: null,
  error: null,
  failureCount: 0,
  successCount: 0,
  startedAt: null,
  createdAt: now.toISOString(),
  durationSeconds: null,
  check: null,
  digest: null,
});
