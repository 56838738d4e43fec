import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import type { DeliveryTestView } from '../delivery/delivery.dto';
import { TestDeliveries } from '../delivery/send/test-deliveries';
import { testNotification } from '../delivery/test-notification';
import type { Caller } from '../platform/access/caller';
import { WorkLimits } from '../platform/access/work-limits';
import { Database } from '../platform/database/database';
import { newUuid, parseId } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { AlertSettings } from './alert-settings';
import type { CreateAlertDto } from './alert.dto';
import { type AlertSubject, subjectOf } from './episode/alert-subject';

/**
 * Sends a test through the channel of an alert that may not exist yet. Only an audit log entry is stored, and it is
 * committed before anything is sent.
 */
@Injectable()
export class TestNewAlertService {
  constructor(
    private readonly database: Database,
    private readonly settings: AlertSettings,
    private readonly tests: TestDeliveries,
    private readonly limits: WorkLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws the same errors as creating the alert, except for quotas. Throws `rate_limited` after ten tests in a minute
   * at one destination or if the organization's limits are exceeded (`WorkLimits`).
   */
  send(caller: Caller, dto: CreateAlertDto, left: AbortSignal): Promise<DeliveryTestView> {
    const { orgId } = caller;
    const own = this.settings.acceptNew(caller, dto);
    return this.limits.run(orgId, async () => {
      const contact = await this.settings.find(this.database, orgId, dto);
      const { type, config, destination, masked } = own ?? this.settings.ofContact(contact);
      const condition = dto.condition ?? contact?.defaults.condition ?? 'down';
      const alert = await this.alertOf(orgId, { ...dto, condition });
      const notification = testNotification(subjectOf(alert), newUuid(), this.clock.now());
      const after = { endpoint_id: dto.endpoint_id, contact_id: dto.contact_id ?? null, type, config: masked };
      await this.database.transaction((tx) =>
        recordChange(tx, { orgId, action: 'test', resource: 'alert', id: newUuid(), after }),
      );
      return this.tests.sendUnsaved({ caller, channelType: type, destination, config, notification, signal: left });
    });
  }

  /**
   * Returns the names that the test messages contain. Pagers get one key for all tests of an endpoint, so that they
   * don't pile up.
   */
  private async alertOf(
    orgId: string,
    { endpoint_id, description = '', condition }: CreateAlertDto & Pick<AlertSubject, 'condition'>,
  ): Promise<AlertSubject> {
    const endpointId = parseId('endpoint', endpoint_id);
    const [endpoint] = await this.database.query<Omit<AlertSubject, 'id' | 'description' | 'condition'>>(
      `SELECT e.id AS "endpointId", e.name AS "endpointName", e.url AS "endpointUrl", e.type AS "endpointType",
         w.id AS "websiteId", w.name AS "websiteName", w.url AS "websiteUrl"
       FROM endpoint e JOIN website w ON w.id = e.website_id
       WHERE e.org_id = $1 AND e.id = $2 AND w.deleted_at IS NULL`,
      [orgId, endpointId],
    );
    if (!endpoint) throw problems.notFound();
    return { ...endpoint, id: endpoint.endpointId, description, condition };
  }
}
