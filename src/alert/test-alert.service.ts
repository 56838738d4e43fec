import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import type { Notification } from '../channel/channel';
import { ChannelRegistry } from '../channel/channel.registry';
import { DELIVERY_COLUMNS, type DeliveryRow, type DeliveryView, toDeliveryView } from '../delivery/delivery.dto';
import { destinationOfAlert } from '../delivery/destination';
import { Outbox } from '../delivery/outbox';
import { type Attempt, LEASE_MS } from '../delivery/send/attempt';
import { DeliverySender } from '../delivery/send/sender';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { formatId, newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { MINUTE_MS } from '../platform/time/time-units';
import { type AlertSnapshot, lockAlertsSql } from './incident/alert-snapshot';

const MOST_PER_MINUTE = 10;

/** Test deliveries: one attempt, now, recorded like any delivery. They are outside the queue and its rate limit. */
@Injectable()
export class TestAlertService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly sender: DeliverySender,
    private readonly clock: DatabaseClock,
  ) {}

  /** Returns after the attempt. Throws `not_found`, and `rate_limited` after ten tests in a minute. */
  async send(orgId: string, alertId: string): Promise<DeliveryView> {
    const { id, attempt } = await this.database.transaction((tx) => this.lease(tx, orgId, alertId));
    await this.sender.send(attempt, new AbortController().signal);
    const [row] = await this.database.query<DeliveryRow>(`SELECT ${DELIVERY_COLUMNS} FROM notification WHERE id = $1`, [
      id,
    ]);
    if (!row) throw problems.notFound();
    return toDeliveryView(row);
  }

  /** The row is written under its lease: should this process die, a delivery loop ends it when the lease is over. */
  private async lease(tx: Tx, orgId: string, alertId: string): Promise<{ id: string; attempt: Attempt }> {
    const [alert] = await tx.query<AlertSnapshot>(lockAlertsSql('a.org_id = $1 AND a.id = $2'), [orgId, alertId]);
    if (!alert) throw problems.notFound();
    const now = this.clock.now();
    await refuseTooMany(tx, alertId, now);
    const [id, token] = [newUuid(), randomUUID()];
    const until = new Date(now.getTime() + LEASE_MS);
    const target = { orgId, destination: destinationOfAlert(alert), channelType: alert.type };
    await tx.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, attempts,
         next_attempt_at, last_attempt_at, lease_token, lease_until, created_at)
       VALUES ($1, $2, $3, 'test', $4, $5, $6, $7, 1, $8, $8, $9, $10, $8)`,
      [
        id,
        orgId,
        alertId,
        alert.incidentNo,
        target.channelType,
        target.destination,
        JSON.stringify(testNotification(alert, id, now)),
        now,
        token,
        until,
      ],
    );
    await this.outbox.wakeDestinations(tx, [target], until);
    await recordChange(tx, { orgId, action: 'test', resource: 'alert', id: alertId });
    return { id, attempt: this.attempt(target, id, token, now) };
  }

  private attempt(
    target: Pick<Attempt, 'orgId' | 'destination' | 'channelType'>,
    id: string,
    token: string,
    createdAt: Date,
  ): Attempt {
    const { channelType } = target;
    return {
      ...target,
      token,
      audience: this.channels.has(channelType) ? this.channels.get(channelType).audience : 'chat',
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

async function refuseTooMany(tx: Tx, alertId: string, now: Date): Promise<void> {
  const [recent] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM notification
     WHERE alert_id = $1 AND kind = 'test' AND created_at > $2`,
    [alertId, new Date(now.getTime() - MINUTE_MS)],
  );
  if ((recent?.count ?? 0) >= MOST_PER_MINUTE) throw problems.rateLimited(60);
}

const testNotification = (alert: AlertSnapshot, id: string, now: Date): Notification => ({
  kind: 'test',
  id: formatId('delivery', id),
  incidentKey: `${formatId('alert', alert.id)}-test-${formatId('delivery', id)}`,
  triggerId: null,
  repeat: false,
  alert: { id: formatId('alert', alert.id), description: alert.description },
  endpoint: {
    id: formatId('endpoint', alert.endpointId),
    name: alert.endpointName,
    url: alert.endpointUrl,
    type: alert.endpointType,
  },
  website: { id: formatId('website', alert.websiteId), name: alert.websiteName, url: alert.websiteUrl },
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
