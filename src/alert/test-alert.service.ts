import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import type { DeliveryView } from '../delivery/delivery.dto';
import { destinationOfAlert } from '../delivery/destination';
import type { Attempt } from '../delivery/send/attempt';
import { TestDeliveries } from '../delivery/send/test-deliveries';
import { testNotification } from '../delivery/test-notification';
import { WorkLimits } from '../platform/access/work-limits';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { type AlertSnapshot, lockAlertsSql } from './episode/alert-snapshot';
import { subjectOf } from './episode/alert-subject';

/** Sends a test through an alert's channel, regardless of the alert's state. */
@Injectable()
export class TestAlertService {
  constructor(
    private readonly database: Database,
    private readonly tests: TestDeliveries,
    private readonly clock: DatabaseClock,
    private readonly limits: WorkLimits,
  ) {}

  /**
   * Returns after the attempt, which is completed even if the client disconnects. Its delivery shows the outcome.
   * Throws `not_found`, and `rate_limited` after ten tests in a minute or if the organization's limits are exceeded
   * (`WorkLimits`).
   */
  send(orgId: string, alertId: string): Promise<DeliveryView> {
    return this.limits.run(orgId, async () =>
      this.tests.send(await this.database.transaction((tx) => this.lease(tx, orgId, alertId))),
    );
  }

  private async lease(tx: Tx, orgId: string, alertId: string): Promise<Attempt> {
    const [alert] = await tx.query<AlertSnapshot>(lockAlertsSql('a.org_id = $1 AND a.id = $2'), [orgId, alertId]);
    if (!alert) throw problems.notFound();
    const [id, now] = [newUuid(), this.clock.now()];
    const attempt = await this.tests.lease(tx, {
      id,
      orgId,
      alertId,
      contactId: alert.contactId,
      episodeNo: alert.episodeNo,
      channelType: alert.type,
      destination: destinationOfAlert(alert),
      notification: testNotification(subjectOf(alert), id, now),
      createdAt: now,
    });
    await recordChange(tx, { orgId, action: 'test', resource: 'alert', id: alertId });
    return attempt;
  }
}
